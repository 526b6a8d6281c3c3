import type { RouterContext } from '@koa/router'
import type { FieldError } from '../lib/errors.ts'
import { authenticate } from './authenticate.ts'
import { isKeepable, KEEPABLE } from './json-text.ts'
import { readBody } from './read-body.ts'
import { requestState } from './respond.ts'
import type { Route } from './route.ts'
import type { Surroundings } from './services.ts'
import { invalid } from './validate.ts'

/** The HTTP side of one route: who asks, then what is asked, then the answer. */
export function serveRoute(route: Route, surroundings: Surroundings) {
  return async (ctx: RouterContext): Promise<void> => {
    const state = requestState(ctx)
    state.operationId = route.operationId
    const principal = await authenticate(route, ctx.req.headers, surroundings)
    if (principal !== undefined) state.keyId = principal.keyId
    const params = texts(Object.entries(ctx.params))
    const query = texts([...new URLSearchParams(ctx.querystring)])
    const headers = headersOf(route, ctx)
    const body = await readBody(ctx.req)
    const reply = await route.serve({ params, query, headers, body, principal }, surroundings)
    ctx.status = reply.status
    ctx.set(reply.headers)
    if (reply.body === undefined) return
    ctx.set('Content-Type', 'application/json; charset=utf-8')
    ctx.body = JSON.stringify(reply.body)
  }
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
