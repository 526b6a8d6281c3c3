import { textWithin } from '../lib/text-within.ts'

/** A request as it goes out. `url` is never repeated in what comes back. */
export type HttpCall = Readonly<{
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
}>

/** How far a service is trusted with our time and memory. */
export type HttpLimits = Readonly<{ timeoutMs: number; maxBytes: number }>

/**
 * What came of a request. `not-sent`: no connection was made, so nothing can have happened. `no-answer`: it may have
 * arrived, and nobody said what became of it.
 */
export type HttpOutcome =
  | Readonly<{ kind: 'answered'; status: number; headers: Headers; json: unknown }>
  | Readonly<{ kind: 'not-sent' | 'no-answer'; reason: string }>

/** What fetch says where no connection was made. Source: Node's error codes, undici's `errors.js`. */
const NOT_CONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Asks once, follows no redirect, gives up after a time or a size, and never throws. */
export async function httpCall(
  { method, url, headers, body }: HttpCall,
  { timeoutMs, maxBytes }: HttpLimits,
  fetcher: typeof fetch = fetch,
): Promise<HttpOutcome> {
  const limit = AbortSignal.timeout(timeoutMs)
  try {
    const init = { method, headers, signal: limit, redirect: 'manual', ...(body !== undefined && { body }) } as const
    const response = await fetcher(url, init)
    const { status } = response
    if (status >= 300 && status < 400) {
      await response.body?.cancel()
      return { kind: 'no-answer', reason: `answered with a redirect (${status}), which is not followed` }
    }
    const text = await textWithin(response, maxBytes)
    if (text === undefined) return { kind: 'no-answer', reason: 'answered with too much' }
    const json = jsonOf(text)
    if (text !== '' && json === undefined) return { kind: 'no-answer', reason: `answered no JSON (status ${status})` }
    return { kind: 'answered', status, headers: response.headers, json }
  } catch (thrown) {
    // What fetch throws names the host: it goes no further.
    if (limit.aborted) return { kind: 'no-answer', reason: 'did not answer in time' }
    if (NOT_CONNECTED.has(codeOf(thrown))) return { kind: 'not-sent', reason: 'could not be reached' }
    return { kind: 'no-answer', reason: 'broke the connection' }
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function codeOf(thrown: unknown): unknown {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  if (cause instanceof AggregateError) return codeIn(cause.errors[0])
  return codeIn(cause)
}

function codeIn(cause: unknown): unknown {
  return typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
}
