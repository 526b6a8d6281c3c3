import type { z } from 'zod'
import { CountersignError } from '../lib/errors.ts'
import { textWithin } from '../lib/text-within.ts'

/** A request to one of the venue's interfaces. `body` is sent as it is. */
export type VenueRequest = Readonly<{
  url: string
  path: string
  query?: Readonly<Record<string, string>>
  method?: 'GET' | 'POST' | 'DELETE'
  headers?: Readonly<Record<string, string>>
  body?: string
  signal?: AbortSignal | undefined
}>

const TIMEOUT_MS = 5_000
const LARGEST_ANSWER = 8_000_000

/**
 * The status and body of an answer that means something: 2xx, or a refusal of the request itself (4xx). Whatever else
 * comes, or does not, is thrown as `unavailable`, and says nothing of what the venue did.
 */
export async function ask(request: VenueRequest): Promise<Readonly<{ status: number; body: unknown }>> {
  const { url, path, query, method = 'GET', headers, body, signal } = request
  const limit = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const target = new URL(`${url.replace(/\/+$/, '')}${path}`)
    for (const [name, value] of Object.entries(query ?? {})) target.searchParams.set(name, value)
    const response = await fetch(target, {
      method,
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      redirect: 'error',
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    })
    const text = await textWithin(response, LARGEST_ANSWER)
    if (means(response.status) && text !== undefined)
      return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  } catch {
    // What is thrown here names the address, which is nobody's to read.
    throw unavailable('did not answer')
  }
  throw unavailable('did not answer as it should')
}

/** An answer in the form that it must have. */
export function readAnswer<T>(answer: unknown, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(answer)
  if (parsed.success) return parsed.data
  throw unavailable('gave an answer that cannot be read')
}

/** What is thrown where the venue does not say what was asked for. */
export function unavailable(what: string): CountersignError {
  return new CountersignError('unavailable', `Polymarket ${what}.`)
}

/** Not: too early, too often, or a time that ran out, which come with a 4xx too. */
function means(status: number): boolean {
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && ![408, 425, 429].includes(status))
}
