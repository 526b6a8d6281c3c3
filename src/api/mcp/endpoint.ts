import type Router from '@koa/router'
import type { RouterContext } from '@koa/router'
import type { Principal } from '../../auth/index.ts'
import { CountersignError, messageOf } from '../../lib/errors.ts'
import type { Log } from '../../lib/log.ts'
import { bearerOf } from '../bearer.ts'
import { checkOrigin } from '../console/origin.ts'
import { limitRequest } from '../limit-request.ts'
import { type AuthorizationServer, oauthAddresses } from '../oauth/index.ts'
import { USUAL_SCOPES } from '../oauth/scopes.ts'
import { readBody } from '../read-body.ts'
import { requestState } from '../respond.ts'
import type { Services } from '../services.ts'
import { invalid } from '../validate.ts'
import type { createAnswering, HandlerOf } from './answering.ts'
import type { McpRequest } from './mcp-server.ts'

/** What the MCP endpoint is made of. */
export type McpParts = Readonly<{
  services: Pick<Services, 'policy' | 'auth' | 'version' | 'limiter'>
  authorizationServer: AuthorizationServer
  publicUrl: string
  log: Log
  /** Answers with the servers that the factory makes; without one they are made for each request, without sessions. */
  handlerOf?: HandlerOf | undefined
}>

/** Path of the endpoint. */
const PATH = '/api/mcp'

/** Adds the MCP endpoint: streamable HTTP without sessions, for the current revision of the protocol and those before it. */
export function addMcp(router: Router, parts: McpParts): Readonly<{ close(): Promise<void> }> {
  const { services, log, handlerOf } = parts
  let answering: Promise<ReturnType<typeof createAnswering>> | undefined
  // Loaded when a client first passes the door: in most processes none ever does.
  const load = async () => (await import('./answering.ts')).createAnswering(services, log, handlerOf)
  const { resourceMetadata } = oauthAddresses(parts.publicUrl)

  router.all(PATH, async (ctx) => {
    const state = requestState(ctx)
    state.operationId = 'mcp'
    const misplaced = placeFault(ctx, parts.publicUrl)
    if (misplaced !== undefined) {
      ctx.status = 403
      ctx.set('Content-Type', 'application/json; charset=utf-8')
      ctx.body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message: misplaced }, id: null })
      return
    }
    const principal = await principalOf(ctx, parts, resourceMetadata)
    state.keyId = principal.keyId
    await limitRequest(ctx, 'agent', principal, services)
    const body = ctx.method === 'POST' ? (await readBody(ctx.req)).value : undefined
    // A batch counts as many requests as it holds.
    const more = Array.isArray(body) ? body.slice(1) : []
    await Promise.all(more.map(() => limitRequest(ctx, 'agent', principal, services)))
    const request: McpRequest = { principal, requestId: state.requestId }
    const auth = {
      token: '',
      clientId: principal.keyId,
      scopes: [...principal.scopes],
      resourceMetadataUrl: resourceMetadata,
      extra: { request },
    }
    const { serve } = await (answering ??= load())
    ctx.respond = false
    const { method, url } = ctx
    await serve(Object.assign(ctx.req, { auth, method, url }), ctx.res, body)
  })
  return {
    async close() {
      await (await answering)?.close()
    },
  }
}

/** What is wrong with where a request comes from: a page of another origin, or a name pointed at this machine. */
function placeFault(ctx: RouterContext, publicUrl: string): string | undefined {
  try {
    checkOrigin(ctx.req.headers, publicUrl)
    return undefined
  } catch (thrown) {
    return messageOf(thrown)
  }
}

/** Who asks: by an API key, or by an access token of our own authorization server for this endpoint. */
async function principalOf(
  ctx: RouterContext,
  { services, authorizationServer }: McpParts,
  resourceMetadata: string,
): Promise<Principal> {
  const { 'x-api-key': key, authorization } = ctx.req.headers
  if (key !== undefined && authorization !== undefined)
    throw invalid([{ path: 'Authorization', message: 'must not be sent beside x-api-key: send one credential' }])
  try {
    if (key === undefined) return await authorizationServer.authenticate(bearerOf(authorization))
    const principal = await services.auth.authenticate(Array.isArray(key) ? undefined : key)
    if (principal.appId === undefined) return principal
    throw new CountersignError('insufficient_scope', 'A key of an integrator is for /integrator alone.')
  } catch (thrown) {
    if (thrown instanceof CountersignError && thrown.code === 'unauthenticated') {
      const error = authorization === undefined ? '' : 'error="invalid_token", '
      ctx.set(
        'WWW-Authenticate',
        `Bearer ${error}resource_metadata="${resourceMetadata}", scope="${USUAL_SCOPES.join(' ')}"`,
      )
    }
    throw thrown
  }
}
