/** The text of an answer. Nothing where it has more than so many bytes: then the rest of it is not read. */
export async function textWithin(response: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  const stream: AsyncIterable<Uint8Array> | null = response.body
  for await (const chunk of stream ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
