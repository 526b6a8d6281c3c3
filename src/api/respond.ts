import { randomUUID } from 'node:crypto'
import type { Context, Next } from 'koa'
import { CountersignError, messageOf } from '../lib/errors.ts'
import { inRequest, type Log } from '../lib/log.ts'
import { traced } from '../lib/traced.ts'
import { PROBLEM_TYPE, problemOf } from './error-body.ts'
import type { Metrics } from './metrics.ts'
import { invalid } from './validate.ts'

/** What the middlewares of one request tell each other. */
export type RequestState = { requestId: string; operationId?: string; keyId?: string }

// The API answers JSON alone: a browser that is led to it shall neither run, frame, sniff nor keep what it says.
const SECURITY_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const

/** Names the request, sets the headers of every answer, turns what is thrown into a problem, and logs one line. */
export function respond(log: Log, metrics: Metrics) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const startedAt = performance.now()
    const state = requestState(ctx)
    ctx.set({ 'X-Request-Id': state.requestId, ...SECURITY_HEADERS })
    const told: Record<string, string | number> = { requestId: state.requestId, method: ctx.method }
    const answer = async () => {
      try {
        checkTarget(ctx.url)
        await next()
      } catch (thrown) {
        // Whoever meant to answer without Koa, and failed before the first byte, leaves the answer to us.
        if (!ctx.headerSent) ctx.respond = true
        writeProblem(ctx, thrown)
        if (ctx.status >= 500) log.error({ ...state, ...describe(thrown) }, 'request failed')
      }
      Object.assign(told, { operation: state.operationId ?? 'none', status: ctx.status })
    }
    await inRequest(state.requestId, () => traced('http', told, answer, ctx.get('traceparent')))
    const elapsedMs = performance.now() - startedAt
    const durationMs = Math.round(elapsedMs)
    const { operationId = 'none' } = state
    metrics.request({ operationId, method: ctx.method, status: ctx.status, seconds: elapsedMs / 1000 })
    log.info({ ...state, method: ctx.method, status: ctx.status, durationMs }, 'request')
  }
}

// Koa cannot parse every target that Node's parser lets through.
function checkTarget(target: string): void {
  if (target.startsWith('/') || URL.canParse(target)) return
  throw invalid([{ path: 'path', message: 'must be a path that begins with a slash' }])
}

/** The state of a request, made when first asked for. */
export function requestState(ctx: Context): RequestState {
  const state = ctx.state as Partial<RequestState>
  state.requestId ??= requestIdOf(ctx.get('x-request-id'))
  return state as RequestState
}

// The caller's id is kept when it is 1 to 128 visible ASCII characters (contract section 2).
function requestIdOf(header: string): string {
  return /^[\x21-\x7e]{1,128}$/.test(header) ? header : randomUUID()
}

function writeProblem(ctx: Context, thrown: unknown): void {
  const problem = problemOf(thrown, requestState(ctx).requestId)
  ctx.status = problem.status
  if (problem.status === 401 && !ctx.res.hasHeader('WWW-Authenticate'))
    ctx.set('WWW-Authenticate', 'ApiKey header="x-api-key"')
  if (problem.status === 503) ctx.set('Retry-After', '1')
  ctx.set('Content-Type', PROBLEM_TYPE)
  ctx.body = JSON.stringify(problem)
}

const ADDRESS_OF_A_SERVER = /\b[a-z][a-z0-9+.-]*:\/\/\S+/gi

/** What the log says of a fault. An address can carry a key, so none is written. */
function describe(thrown: unknown): object {
  const chain: string[] = []
  for (
    let error = thrown;
    error !== undefined && chain.length < 5;
    error = error instanceof Error ? error.cause : undefined
  )
    chain.push(messageOf(error).replace(ADDRESS_OF_A_SERVER, '[address]'))
  const frames = thrown instanceof Error ? (thrown.stack?.split('\n').filter((line) => /^\s+at /.test(line)) ?? []) : []
  const code = thrown instanceof CountersignError ? thrown.code : 'internal'
  return { code, messages: chain, frames: frames.slice(0, 12).map((line) => line.trim()) }
}
