import type { RouterContext } from '@koa/router'
import type { Principal } from '../auth/index.ts'
import { CountersignError, type FieldError } from '../lib/errors.ts'
import { sha256 } from '../lib/hash.ts'
import { authenticate } from './authenticate.ts'
import { isKeepable, KEEPABLE } from './json-text.ts'
import type { LimitName } from './limits.ts'
import { type Admission, limitOf } from './rate-limit.ts'
import { readBody } from './read-body.ts'
import { requestState } from './respond.ts'
import type { RawReply, Route } from './route.ts'
import type { Surroundings } from './services.ts'
import { invalid } from './validate.ts'

/** The HTTP side of one route: who asks and how often, then what is asked, then the answer. */
export function serveRoute(route: Route, surroundings: Surroundings) {
  return async (ctx: RouterContext): Promise<void> => {
    const state = requestState(ctx)
    state.operationId = route.operationId
    const principal = await authenticate(route, ctx.req.headers, surroundings)
    if (principal !== undefined) state.keyId = principal.keyId
    await limit(route, ctx, principal, surroundings)
    const params = texts(Object.entries(ctx.params))
    const query = texts([...new URLSearchParams(ctx.querystring)])
    const headers = headersOf(route, ctx)
    const { value: body, bytes } = await readBody(ctx.req)
    const bodyDigest = sha256(bytes)
    const reply = await route.serve({ params, query, headers, body, principal, bodyDigest }, surroundings)
    send(route, ctx, reply)
  }
}

function send({ cacheSeconds, textType }: Route, ctx: RouterContext, { status, body, text, headers }: RawReply): void {
  ctx.status = status
  if (body !== undefined) {
    ctx.set('Content-Type', textType ?? 'application/json; charset=utf-8')
    ctx.body = text ?? JSON.stringify(body)
  }
  ctx.set(headers)
  if (cacheSeconds === undefined || typeof ctx.body !== 'string') return
  ctx.set('Cache-Control', `public, max-age=${cacheSeconds}`)
  ctx.set('ETag', `W/"${sha256(ctx.body).slice(2, 34)}"`)
  if (ctx.fresh) ctx.status = 304
}

/** @throws CountersignError `rate_limited`; `unavailable` where a write cannot be counted */
async function limit(
  route: Route,
  ctx: RouterContext,
  principal: Principal | undefined,
  { limiter }: Surroundings,
): Promise<void> {
  const counted = limitOf(route)
  if (limiter === undefined || counted === 'none') return
  const who = principal?.appId ?? principal?.keyId ?? networkOf(ctx.req.socket.remoteAddress ?? '')
  const { admitted, headers } = await admission(limiter(counted, who), route.method)
  ctx.set(headers)
  if (!admitted) throw tooMany(counted, headers)
}

/** What cannot be counted is not written. Reading goes on. */
async function admission(asked: Promise<Admission>, method: Route['method']): Promise<Admission> {
  if (method !== 'GET') return asked
  return asked.catch(() => ({ admitted: true, headers: {} }))
}

function tooMany(name: LimitName, headers: Admission['headers']): CountersignError {
  const wait = headers['Retry-After']
  return new CountersignError('rate_limited', `Too many requests in a minute (${name}). Wait ${wait} s.`)
}

/** An address of IPv4, or the network that one customer has of IPv6. */
function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const missing = tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length)).fill('0')
  return [...groups, ...missing].slice(0, 4).join(':')
}

/** Names and values of a path or a query: each name once, each text as it can be kept. */
function texts(entries: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  const names = entries.map(([name]) => name)
  const wrong = entries.flatMap(([name, value], index): FieldError[] => {
    if (names.indexOf(name) !== index) return [{ path: name, message: 'must be given once' }]
    return isKeepable(name) && isKeepable(value) ? [] : [{ path: name, message: KEEPABLE }]
  })
  if (wrong.length > 0) throw invalid(wrong)
  return Object.fromEntries(entries)
}

function headersOf(route: Route, ctx: RouterContext): Readonly<Record<string, unknown>> {
  const names = Object.keys(route.headers?.shape ?? {})
  return Object.fromEntries(names.map((name) => [name, ctx.req.headers[name]]))
}
