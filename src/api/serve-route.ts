import type { RouterContext } from '@koa/router'
import type { FieldError } from '../lib/errors.ts'
import { sha256 } from '../lib/hash.ts'
import { authenticate } from './authenticate.ts'
import { isKeepable, KEEPABLE } from './json-text.ts'
import { limitRequest } from './limit-request.ts'
import { limitOf } from './rate-limit.ts'
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
    await limitRequest(ctx, limitOf(route), principal, surroundings)
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
  const etag = `W/"${sha256(ctx.body).slice(2, 34)}"`
  ctx.set('ETag', etag)
  // By the header alone: whoever has this very answer needs no other, whatever they say of caches between.
  if (
    ctx
      .get('If-None-Match')
      .split(',')
      .some((held) => held.trim() === etag)
  )
    ctx.status = 304
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
