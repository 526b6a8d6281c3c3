import type Router from '@koa/router'
import type { RouterContext } from '@koa/router'
import type { Identity } from '../../auth/index.ts'
import { MessageRequest, SignedMessage } from '../../schema/user.ts'
import { approvalStatement, rightsOf } from '../approval-statement.ts'
import { limitRequest } from '../limit-request.ts'
import { readBody } from '../read-body.ts'
import { requestState } from '../respond.ts'
import type { Services } from '../services.ts'
import { checked } from '../validate.ts'
import { OAUTH_PATHS, oauthAddresses } from './addresses.ts'
import { type AuthorizationServer, withUsualScopes } from './authorization-server.ts'
import { authorizationServerMetadata, protectedResourceMetadata } from './metadata.ts'

type Parts = Readonly<{
  server: AuthorizationServer
  services: Pick<Services, 'limiter'> & Readonly<{ identity: Pick<Identity, 'signIn'> }>
  publicUrl: string
}>

/** Where the API is mounted in this process. Clients may see it elsewhere. */
const MOUNTED_AT = '/api'

/** Adds the authorization server to a router: metadata, its endpoints, and what the consent page asks for. */
export function addOauth(router: Router, parts: Parts): void {
  addMetadata(router, parts.publicUrl)
  addEndpoints(router, parts)
  addConsent(router, parts)
}

function addMetadata(router: Router, publicUrl: string): void {
  const addresses = oauthAddresses(publicUrl)
  const documents = [
    ['oauth-authorization-server', '', authorizationServerMetadata(addresses)],
    ['oauth-protected-resource', '/mcp', protectedResourceMetadata(addresses)],
  ] as const
  for (const [name, below, document] of documents) {
    const inserted = `/.well-known/${name}${new URL(publicUrl).pathname.replace(/\/$/, '')}${below}`
    const paths = [`${MOUNTED_AT}/.well-known/${name}`, `${MOUNTED_AT}/.well-known/${name}${below}`]
    for (const path of new Set([...paths, `/.well-known/${name}${MOUNTED_AT}${below}`, inserted]))
      router.get(path, (ctx) => {
        requestState(ctx).operationId = name
        // Any page may read it: programs that run in a browser look it up from wherever they are.
        ctx.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=300' })
        send(ctx, document)
      })
  }
}

function addEndpoints(router: Router, { server, services }: Parts): void {
  const { authorization, token, registration, revocation, jwks } = OAUTH_PATHS
  const serve = async (ctx: RouterContext, query = ctx.querystring) => {
    requestState(ctx).operationId = 'oauth'
    await limitRequest(ctx, 'auth', undefined, services)
    ctx.respond = false
    const path = ctx.path.slice(MOUNTED_AT.length)
    await server.serve(ctx.req, ctx.res, query === '' ? path : `${path}?${query}`)
  }
  router.get(MOUNTED_AT + authorization, (ctx) => serve(ctx, withUsualScopes(ctx.querystring)))
  router.get(`${MOUNTED_AT}${authorization}/:uid`, (ctx) => serve(ctx))
  router.get(MOUNTED_AT + jwks, (ctx) => serve(ctx))
  for (const path of [token, registration, revocation]) router.post(MOUNTED_AT + path, (ctx) => serve(ctx))
}

function addConsent(router: Router, { server, services }: Parts): void {
  const { signIn } = services.identity
  const path = `${MOUNTED_AT}/oauth/consent/:uid`
  const uidOf = ({ params }: RouterContext) => params['uid'] ?? ''

  router.use(path, async (ctx, next) => {
    requestState(ctx).operationId = 'oauth consent'
    if (ctx.method === 'POST') await limitRequest(ctx, 'auth', undefined, services)
    await next()
  })

  router.get(`${path}/request`, async (ctx) => {
    const { clientId, clientName, redirectUri, scopes } = await server.consentRequest(ctx.req, ctx.res, uidOf(ctx))
    const rights = rightsOf(scopes)
    send(ctx, { clientId, clientName, redirectHost: new URL(redirectUri).host || redirectUri, scopes, rights })
  })

  router.post(`${path}/message`, async (ctx) => {
    const { value } = await readBody(ctx.req)
    const { walletAddress: address, chainId } = checked(MessageRequest, value, 'body')
    const uid = uidOf(ctx)
    const { clientId, clientName, scopes } = await server.consentRequest(ctx.req, ctx.res, uid)
    const statement = approvalStatement(clientName ?? clientId, scopes)
    send(ctx, { message: await signIn.message({ purpose: `oauth ${uid}`, address, chainId, statement }) })
  })

  router.post(`${path}/approve`, async (ctx) => {
    const { value } = await readBody(ctx.req)
    const signed = checked(SignedMessage, value, 'body')
    const uid = uidOf(ctx)
    await server.consentRequest(ctx.req, ctx.res, uid)
    const user = await signIn.prove(signed, `oauth ${uid}`)
    send(ctx, { redirectTo: await server.answer(ctx.req, ctx.res, uid, user) })
  })

  router.post(`${path}/decline`, async (ctx) => {
    send(ctx, { redirectTo: await server.answer(ctx.req, ctx.res, uidOf(ctx), null) })
  })
}

function send(ctx: RouterContext, body: object): void {
  ctx.status = 200
  ctx.set('Content-Type', 'application/json; charset=utf-8')
  ctx.body = JSON.stringify(body)
}
