import { z } from 'zod'
import { CountersignError } from '../lib/errors.ts'
import { textWithin } from '../lib/text-within.ts'

/** An error that the node itself reported. `data` is the revert data where there is any. Untrusted text, cut to 2,000. */
export type RpcError = Readonly<{ code: number; message: string; data: string | null }>

/** What a node answered to one call: a result of any type, to be parsed by whoever asked, or its own error. */
export type RpcReply = Readonly<{ ok: true; result: unknown }> | Readonly<{ ok: false; error: RpcError }>

/**
 * One JSON-RPC call over HTTP.
 *
 * @throws CountersignError `unavailable` when there is no well-formed answer in time; it never carries the URL
 */
export type Transport = (method: string, params: readonly unknown[], signal?: AbortSignal) => Promise<RpcReply>

/** Where a node is, and how far it is trusted with our time and memory. */
export type TransportSettings = Readonly<{ url: string; name: string; timeoutMs: number; maxBytes: number }>

const LONGEST_MESSAGE = 2_000

const Envelope = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.int(), z.null()]),
  result: z.unknown().optional(),
  error: z.object({ code: z.int(), message: z.string(), data: z.unknown().optional() }).optional(),
})

/** A transport that asks once, never follows a redirect, and gives up after a time or a size. */
export function createTransport({ url, name, timeoutMs, maxBytes }: TransportSettings): Transport {
  const { address, headers } = endpoint(url)
  let lastId = 0
  return async (method, params, signal) => {
    lastId += 1
    const id = lastId
    const limit = AbortSignal.timeout(timeoutMs)
    const fault = (why: string) => new CountersignError('unavailable', `The RPC of ${name} ${why} (${method}).`)
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
    const text = await post({ address, headers, body, maxBytes }, signal ? AbortSignal.any([signal, limit]) : limit)
      // The cause is left out: what fetch throws names the host, and often the key within the URL.
      .catch((thrown: unknown) => Promise.reject(fault(why(thrown, limit))))
    return read(text, id, fault)
  }
}

/** User and password within a URL go into a header: fetch refuses them, and prints them while it does. */
function endpoint(url: string): Readonly<{ address: string; headers: Record<string, string> }> {
  const parsed = new URL(url)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (parsed.username || parsed.password) {
    const login = `${asTyped(parsed.username)}:${asTyped(parsed.password)}`
    headers.authorization = `Basic ${Buffer.from(login).toString('base64')}`
    parsed.username = ''
    parsed.password = ''
  }
  return { address: parsed.href, headers }
}

/** A password may hold a percent sign that encodes nothing. */
function asTyped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

type Post = Readonly<{ address: string; headers: Record<string, string>; body: string; maxBytes: number }>

async function post({ address, headers, body, maxBytes }: Post, signal: AbortSignal): Promise<string> {
  const response = await fetch(address, { method: 'POST', headers, body, signal, redirect: 'error' })
  const text = await textWithin(response, maxBytes)
  if (text === undefined) throw new Refusal('answered with too much')
  // Some nodes send JSON-RPC errors with a status of 4xx: those still count as answers.
  if (!response.ok && !text.trimStart().startsWith('{')) throw new Refusal(`answered with status ${response.status}`)
  return text
}

class Refusal extends Error {
  override readonly name = 'Refusal'
}

function why(thrown: unknown, limit: AbortSignal): string {
  if (thrown instanceof Refusal) return thrown.message
  if (limit.aborted) return 'did not answer in time'
  return thrown instanceof Error && thrown.name === 'AbortError' ? 'was not waited for' : 'could not be reached'
}

function read(text: string, id: number, fault: (why: string) => CountersignError): RpcReply {
  const envelope = Envelope.safeParse(json(text))
  if (!envelope.success) throw fault('did not answer in JSON-RPC')
  const { error, result } = envelope.data
  if (error) {
    const { code, message, data } = error
    const words = message.slice(0, LONGEST_MESSAGE)
    return { ok: false, error: { code, message: words, data: typeof data === 'string' ? data : null } }
  }
  if (envelope.data.id !== id) throw fault('answered another call')
  if (result === undefined) throw fault('answered without a result')
  return { ok: true, result }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
