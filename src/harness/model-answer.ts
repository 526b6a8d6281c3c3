import { z } from 'zod'
import { CountersignError } from '../lib/errors.ts'
import type { ModelRequest, ProviderEvent, ProviderSettings, ToolCall, Usage } from './provider.ts'

/** Milliseconds that one answer of a model may take, from the request to its last piece. */
const ANSWER_TIMEOUT_MS = 60_000

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/

/** Ends when the caller stops, or when the answer has taken too long. */
export function answerSignal(request: ModelRequest, settings: ProviderSettings): AbortSignal {
  return AbortSignal.any([request.signal, AbortSignal.timeout(settings.timeoutMs ?? ANSWER_TIMEOUT_MS)])
}

/** A piece of a model's answer, once a schema has read it. */
export function readPiece<schema extends z.ZodType>(schema: schema, piece: unknown): z.output<schema> {
  const parsed = schema.safeParse(piece)
  if (!parsed.success) throw malformed('a piece of its answer has an unknown shape')
  return parsed.data
}

/** Arguments that are no JSON stay text, so that the tool refuses them. */
function toolCallOf(id: string, name: string, argumentsText: string): ToolCall {
  if (id === '' || !TOOL_NAME.test(name)) throw malformed('a tool call has no id or no usable name')
  return { id, name, arguments: argumentsText === '' ? {} : jsonOrText(argumentsText) }
}

type CallParts = Readonly<{ id: string; name: string; arguments: string }>

/** Characters that one answer may have, its tool calls included. */
export const LONGEST_ANSWER = 100_000

/** The tool calls of an answer while their pieces arrive. */
export type Calls = ReturnType<typeof collectCalls>

/** Collects tool calls by the server's numbers: a call's id and name come once, its arguments in any number of pieces. */
export function collectCalls() {
  const calls = new Map<number, CallParts>()
  let length = 0
  return {
    add(index: number, piece: Readonly<{ [part in keyof CallParts]?: string | null | undefined }>): void {
      const call = calls.get(index) ?? { id: '', name: '', arguments: '' }
      const more = piece.arguments ?? ''
      length += more.length + 1
      if (length > LONGEST_ANSWER) throw tooLong()
      calls.set(index, {
        id: piece.id || call.id,
        name: piece.name || call.name,
        arguments: call.arguments + more,
      })
    },
    all: () => [...calls.values()],
  }
}

/** An answer that goes on and on. */
export function tooLong(): CountersignError {
  return malformed(`its answer is longer than ${LONGEST_ANSWER} characters`)
}

/** Why a model stopped. `tool-calls` promises at least one. */
export type Ending = 'stop' | 'tool-calls' | 'length' | 'refusal'

/** The end of an answer: its tool calls where it was finished, and `done`. */
export function* endOf(ending: Ending, calls: Calls, usage: Usage): Generator<ProviderEvent, void> {
  if (ending === 'length' || ending === 'refusal') {
    yield { type: 'done', reason: ending, usage }
    return
  }
  const parsed = calls.all().map(({ id, name, arguments: text }) => toolCallOf(id, name, text))
  if (ending === 'tool-calls' && parsed.length === 0) throw malformed('its answer ended without content')
  for (const call of parsed) yield { type: 'tool-call', call }
  yield { type: 'done', reason: parsed.length > 0 ? 'tool-calls' : 'stop', usage }
}

/** Arguments as an object, which is what servers take back in a conversation's history. */
export function argumentsObject(args: unknown): Record<string, unknown> {
  const object = z.record(z.string(), z.unknown()).safeParse(args)
  return object.success ? object.data : { unreadable: args }
}

/** A model server that did not keep to its dialect. */
export function malformed(what: string): CountersignError {
  return new CountersignError('unavailable', `The model server failed: ${what}.`)
}

/**
 * What can be said of anything that an SDK throws: the status and what to do about it. The server's own words are left
 * out, and so is the error itself as a cause: both carry addresses, headers and parts of keys.
 */
export function modelFault(thrown: unknown, request: ModelRequest): CountersignError {
  // First, because the SDKs end a stopped stream as if it were complete.
  if (request.signal.aborted) return new CountersignError('unavailable', 'The model call was stopped.')
  if (thrown instanceof CountersignError) return thrown
  if (OVERFLOW.test(wordsOf(thrown))) return overflow()
  const status = statusOf(thrown)
  if (status === undefined) return new CountersignError('unavailable', `The model server ${failureOf(thrown)}.`)
  const said = `The model server answered with status ${status}`
  if (status === 429) return new CountersignError('rate_limited', `${said}: too many requests, or no credit left.`)
  if (status === 408 || status >= 500) return new CountersignError('unavailable', `${said}.`)
  return new CountersignError('internal', `${said}: ${hintFor(status, request.model)}.`)
}

/** How servers say that a conversation does not fit: there is no status for it. */
const OVERFLOW =
  /context_length_exceeded|prompt is too long|request_too_large|(maximum|exceeds?[^.]{0,40}) context (length|size|window)/i

/** A conversation that the model cannot read whole. */
export function overflow(): CountersignError {
  return new CountersignError('payload_too_large', 'The conversation is longer than the model can read.')
}

/** The server's words, to be understood and never shown. */
function wordsOf(thrown: unknown): string {
  const said = z.object({ message: z.string().catch(''), code: z.string().nullish().catch('') }).safeParse(thrown)
  return said.success ? `${said.data.code ?? ''} ${said.data.message.slice(0, 2_000)}` : ''
}

/** A failure that a server says in the middle of its stream, by its code. */
export function streamFault(code: string | null | undefined): CountersignError {
  const name = code ?? ''
  if (OVERFLOW.test(name)) return overflow()
  if (/rate_limit|quota/.test(name))
    return new CountersignError('rate_limited', 'The model server ended its answer: too many requests.')
  return malformed('it ended its answer with an error')
}

/** Tokens as servers tell them, where they do: a server that tells none leaves them to an estimate. */
export function usageOf(input: number, output: number, cached = 0, written = 0): Usage {
  return {
    inputTokens: input,
    outputTokens: output,
    ...(cached > 0 && { cachedTokens: cached }),
    ...(written > 0 && { cacheWriteTokens: written }),
  }
}

function hintFor(status: number, model: string): string {
  if (status === 401 || status === 403) return "check the provider's apiKey"
  if (status === 404) return `check the provider's baseUrl and that it serves the model ${model}`
  return 'it does not accept the request'
}

function statusOf(thrown: unknown): number | undefined {
  const parsed = z.object({ status: z.int().min(100).max(599) }).safeParse(thrown)
  return parsed.success ? parsed.data.status : undefined
}

function failureOf(thrown: unknown): string {
  const name = thrown instanceof Error ? thrown.constructor.name : ''
  if (/timeout/i.test(name)) return 'did not answer in time'
  if (/connection/i.test(name)) return 'could not be reached'
  return 'gave a broken answer'
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
