import { type HttpLimits, httpCall } from './http-call.ts'
import { OPERATIONS, type Operations, type Problem } from './operations/index.ts'

/** An operation of the service, by its id in the OpenAPI document. */
export type OperationId = keyof Operations

/** Where the service is, and who asks. Keys belong on a server: never into a page or an app. */
export type ClientSettings = Readonly<{
  /** `{base_url}` of the service: it usually ends in `/api`. */
  baseUrl: string
  /** Sent as `x-api-key`. */
  apiKey?: string | undefined
  /** Sent as `x-app-id`, by integrators. */
  appId?: string | undefined
  /** Sent as a bearer token, by signed-in users in place of a key. */
  accessToken?: string | undefined
  /** For one answer, in ms. */
  timeoutMs?: number
  /** Largest answer in bytes. */
  maxBytes?: number
  fetch?: typeof fetch
}>

/** What an operation takes, as the OpenAPI document has it. */
export type OperationInput<id extends OperationId> = Operations[id]['input']

/**
 * What came of a call. `ok` is one of the documented answers; its body is typed, and not checked: whoever does not trust
 * the service parses it. A `problem` is the service's own word. Where `status` is null nobody knows the service's word:
 * `wasSent` says whether the request may have arrived.
 */
export type Answer<id extends OperationId> =
  | (Operations[id]['output'] & Readonly<{ ok: true; headers: Headers }>)
  | Readonly<{ ok: false; status: number; problem: Problem | undefined; retryAfterMs: number | undefined }>
  | Readonly<{ ok: false; status: null; wasSent: boolean; reason: string }>

/** A typed client of the service. Every call asks once: when to ask again is the caller's to decide. */
export type Client = Readonly<{
  call<id extends OperationId>(id: id, ...input: InputOf<id>): Promise<Answer<id>>
}>

/** An operation that takes nothing may be called with nothing. */
type InputOf<id extends OperationId> =
  Record<never, never> extends OperationInput<id> ? [input?: OperationInput<id>] : [input: OperationInput<id>]

type Parts = Readonly<{
  params?: Readonly<Record<string, unknown>>
  query?: Readonly<Record<string, unknown>>
  headers?: Readonly<Record<string, unknown>>
  body?: unknown
}>

const LIMITS: HttpLimits = { timeoutMs: 10_000, maxBytes: 1_048_576 }

/** A client over `fetch`. Nothing is asked before `call`. */
export function createClient(settings: ClientSettings): Client {
  const { timeoutMs = LIMITS.timeoutMs, maxBytes = LIMITS.maxBytes, fetch: fetcher } = settings
  return {
    async call<id extends OperationId>(id: id, ...[input]: InputOf<id>): Promise<Answer<id>> {
      const parts: Parts = input ?? {}
      const { method, path, success } = OPERATIONS[id]
      const body = parts.body === undefined ? undefined : JSON.stringify(parts.body)
      const headers = headersOf(settings, parts, body !== undefined)
      const outcome = await httpCall(
        { method, url: urlOf(settings.baseUrl, path, parts), headers, body },
        { timeoutMs, maxBytes },
        fetcher,
      )
      if (outcome.kind !== 'answered')
        return { ok: false, status: null, wasSent: outcome.kind === 'no-answer', reason: outcome.reason }
      const { status, json } = outcome
      if ((success as readonly number[]).includes(status))
        return { ok: true, status, body: json, headers: outcome.headers } as Answer<id>
      return { ok: false, status, problem: problemOf(json), retryAfterMs: retryAfterOf(outcome.headers) }
    },
  }
}

function headersOf({ apiKey, appId, accessToken }: ClientSettings, { headers }: Parts, hasBody: boolean) {
  const given = Object.entries(headers ?? {}).filter(([, value]) => value !== undefined)
  return {
    accept: 'application/json',
    ...(hasBody && { 'content-type': 'application/json' }),
    ...(apiKey !== undefined && { 'x-api-key': apiKey }),
    ...(appId !== undefined && { 'x-app-id': appId }),
    ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
    ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
  }
}

function urlOf(baseUrl: string, path: string, { params = {}, query = {} }: Parts): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const asked = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(Object.fromEntries(asked.map(([name, value]) => [name, String(value)]))).toString()
  return `${baseUrl.replace(/\/+$/, '')}${filled}${search === '' ? '' : `?${search}`}`
}

function problemOf(json: unknown): Problem | undefined {
  const isProblem =
    typeof json === 'object' &&
    json !== null &&
    'error' in json &&
    typeof json.error === 'string' &&
    'detail' in json &&
    typeof json.detail === 'string'
  return isProblem ? (json as Problem) : undefined
}

function retryAfterOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined
}
