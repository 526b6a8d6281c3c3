// A model that says what a test wrote down, and remembers what it was asked.
import type { ModelRequest, Provider, ProviderEvent, ToolCall } from '../../src/harness/provider.ts'

/** One answer: a text, tool calls, other events as they are, or something that happens to the stream. */
export type Line =
  | string
  | readonly ToolCall[]
  | Readonly<{ events: readonly ProviderEvent[] }>
  | Readonly<{ fails: unknown }>
  | Readonly<{ hangs: true }>

export type ScriptedProvider = Provider & Readonly<{ requests: ModelRequest[] }>

const usage = { inputTokens: 1, outputTokens: 1 }

/** Each line answers one call; the last one answers all that come after it. */
export function scripted(...lines: readonly (Line | ((request: ModelRequest) => Line))[]): ScriptedProvider {
  const requests: ModelRequest[] = []
  return {
    requests,
    async *stream(request) {
      requests.push({ ...request, messages: [...request.messages] })
      const next = lines[Math.min(requests.length, lines.length) - 1]
      const line = typeof next === 'function' ? next(request) : next
      if (line === undefined) throw new Error('no line')
      if (typeof line === 'string') {
        yield { type: 'text', text: line }
        yield { type: 'done', reason: 'stop', usage }
      } else if ('hangs' in line) await new Promise<void>(() => undefined)
      else if ('fails' in line) throw line.fails
      else if ('events' in line) yield* line.events
      else {
        for (const call of line) yield { type: 'tool-call', call }
        yield { type: 'done', reason: 'tool-calls', usage }
      }
    },
  }
}

/** A tool call with an id made of its name and place. */
export function call(name: string, args: unknown = {}, id = `call_${name}`): ToolCall {
  return { id, name, arguments: args }
}
