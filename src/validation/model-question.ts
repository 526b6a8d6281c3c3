/** Text of others in a question to a model: it cannot end its own quotation. */
export function quoted(text: string): string {
  return text.replaceAll('<', '‹').replaceAll('>', '›')
}

/** The JSON of a model's answer: alone, or as the one code block that some models put around it. */
export function jsonOf(text: string): unknown {
  const body = /^\s*```(?:json)?\s*([\s\S]*?)\s*```\s*$/.exec(text)?.[1] ?? text
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
