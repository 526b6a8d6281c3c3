// Reads a stream of server-sent events, as they come.
import assert from 'node:assert/strict'

export type Told = Readonly<{ id: number; message: Readonly<{ type: string; text?: string }> }>

export async function openEvents(url: string, headers: Record<string, string>) {
  const response = await fetch(url, { headers })
  assert.equal(response.status, 200, await (response.ok ? '' : response.text()))
  const reader = (response.body ?? assert.fail('no body')).pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    headers: response.headers,
    /** The next events, as many as asked for. */
    async take(count: number): Promise<readonly Told[]> {
      const told: Told[] = []
      while (told.length < count) {
        const end = text.indexOf('\n\n')
        if (end < 0) {
          const { done, value } = await reader.read()
          assert.ok(!done, `the stream ended after ${told.length} of ${count} events`)
          text += value
          continue
        }
        const [, id, data] = /^id: (\d+)\ndata: ([^\n]*)$/.exec(text.slice(0, end)) ?? []
        if (data !== undefined) told.push({ id: Number(id), message: JSON.parse(data) })
        text = text.slice(end + 2)
      }
      return told
    },
    /** What is still told until the server ends the stream, without its comments and events of no message. */
    async rest(): Promise<string> {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return text.replace(/^:.*$|^event: idle\ndata: .*$|\n/gm, '')
        text += value
      }
    },
    /** Whether the server ends the stream in good order. */
    async ended(): Promise<boolean> {
      while (!(await reader.read()).done);
      return true
    },
    leave: () => reader.cancel(),
  }
}
