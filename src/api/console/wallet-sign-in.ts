import type Router from '@koa/router'
import type { RouterContext } from '@koa/router'
import type { Identity } from '../../auth/index.ts'
import type { Address } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import { MessageRequest, SignedMessage } from '../../schema/user.ts'
import { limitRequest } from '../limit-request.ts'
import { addPageFiles, addSigningPage } from '../pages/pages.ts'
import { readBody } from '../read-body.ts'
import type { Services } from '../services.ts'
import { checked, invalid } from '../validate.ts'
import { checkOrigin } from './origin.ts'
import { sessionCookie } from './session-cookie.ts'
import { createWalletSessions } from './wallet-sessions.ts'

/** What a sign-in works with. `owners` are the wallets that may open the console now; where there are none, no wallet may. */
export type WalletParts = Readonly<{
  owners: () => readonly Address[]
  publicUrl: string
  services: Pick<Services, 'limiter'> & Readonly<{ identity: Pick<Identity, 'signIn'> }>
}>

/** Who is signed in with a wallet. */
export type WalletSignIn = Readonly<{
  /** The owner whose browser this is. @throws CountersignError `invalid_request` for a request that another page made */
  walletOf(ctx: RouterContext): Address | undefined
}>

const PATH = '/console/session'
const STATEMENT = 'Open the console of this harness, and command its agents.'

/**
 * Adds the sign-in of owners to the console: the page, the message to sign, and a session in a cookie.
 */
export function addWalletSignIn(router: Router, { owners, publicUrl, services }: WalletParts): WalletSignIn {
  const sessions = createWalletSessions()
  const cookie = sessionCookie(publicUrl)
  const walletOf = (ctx: RouterContext): Address | undefined => {
    const wallet = sessions.find(cookie.read(ctx))
    if (wallet === undefined || !owners().includes(wallet)) return undefined
    checkOwnPage(ctx)
    return wallet
  }

  router.use(['/console/sign-in', PATH], async (ctx, next) => {
    checkOrigin(ctx.req.headers, publicUrl)
    const isAsked = ctx.method === 'POST' || ctx.path === '/console/sign-in'
    if (isAsked && owners().length === 0) throw new CountersignError('not_found', 'No wallet opens this console.')
    await next()
  })

  router.get(PATH, (ctx) => {
    send(ctx, { wallet: walletOf(ctx) ?? null, wallets: owners().length > 0 })
  })
  router.delete(PATH, (ctx) => {
    checkOwnPage(ctx)
    sessions.end(cookie.read(ctx))
    cookie.write(ctx, null)
    ctx.status = 204
  })

  const page = { path: '/console/sign-in', title: 'Open the console', script: 'console.js', api: './' }
  addSigningPage(router, page, publicUrl)
  addPageFiles(router, '/console/pages')
  router.post(`${PATH}/message`, async (ctx) => {
    await limitRequest(ctx, 'auth', undefined, services)
    const { walletAddress: address, chainId } = checked(MessageRequest, (await readBody(ctx.req)).value, 'body')
    const asked = { purpose: 'console', address, chainId, statement: STATEMENT } as const
    send(ctx, { message: await services.identity.signIn.message(asked) })
  })
  router.post(PATH, async (ctx) => {
    checkOwnPage(ctx)
    await limitRequest(ctx, 'auth', undefined, services)
    const signed = checked(SignedMessage, (await readBody(ctx.req)).value, 'body')
    const { address, chainId } = await services.identity.signIn.prove(signed, 'console')
    // A contract's word comes from a node, and no node is trusted with the commands of an owner.
    if (!owners().includes(address) || chainId !== null)
      throw new CountersignError(
        'insufficient_scope',
        'This wallet does not open the console: sign with the key of a wallet of channels.web.owners.',
      )
    cookie.write(ctx, sessions.open(address))
    send(ctx, { wallet: address })
  })
  return { walletOf }
}

/** Another port of this host is another page on the same site: the browser sends it our cookie, and says so. */
function checkOwnPage({ req: { headers } }: RouterContext): void {
  const { 'sec-fetch-site': from } = headers
  if (from !== undefined && from !== 'same-origin')
    throw invalid([{ path: 'Sec-Fetch-Site', message: 'must be same-origin: ask from a page of the console' }])
}

function send(ctx: RouterContext, body: object): void {
  ctx.status = 200
  ctx.set('Content-Type', 'application/json; charset=utf-8')
  ctx.body = JSON.stringify(body)
}
