import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { Principal, User } from '../../auth/index.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { OauthAddresses } from './addresses.ts'
import type { createProvider, ProviderParts } from './provider.ts'
import { ownScopes, USUAL_SCOPES } from './scopes.ts'

type TokenKeys = ProviderParts['identity'] & Readonly<{ tokenKeys: { list(): Promise<readonly [Jwk, ...Jwk[]]> } }>
type Jwk = Parameters<typeof createProvider>[1][0]

/** What a program asks of a person. */
export type ConsentRequest = Readonly<{
  clientId: string
  clientName: string | null
  /** Where the answer goes. */
  redirectUri: string
  scopes: readonly string[]
}>

/** The OAuth 2.1 authorization server of the MCP endpoint. */
export type AuthorizationServer = Readonly<{
  /** Serves one of its endpoints; `path` is below the issuer. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>
  /** The request that waits in a browser. @throws CountersignError `gone` where this browser has none of that name */
  consentRequest(request: IncomingMessage, response: ServerResponse, uid: string): Promise<ConsentRequest>
  /** Grants it, or declines it with null, and gives the address at which the browser goes on. */
  answer(request: IncomingMessage, response: ServerResponse, uid: string, user: User | null): Promise<string>
  /** Who holds an access token. @throws CountersignError `unauthenticated`, the same whatever is wrong with it */
  authenticate(token: string | undefined): Promise<Principal>
}>

const OPAQUE = /^[A-Za-z0-9_-]{43}$/

/** Builds the authorization server. Its keys are those of the store, and change with them. */
export function createAuthorizationServer(
  parts: Omit<ProviderParts, 'identity'> & Readonly<{ identity: TokenKeys }>,
): AuthorizationServer {
  const { addresses, identity } = parts
  let current: Readonly<{ keys: unknown; provider: Provider }> | undefined
  const providerNow = async (): Promise<Provider> => {
    const keys = await identity.tokenKeys.list()
    const named = keys.map(({ kid }) => kid).join(' ')
    if (current?.keys === named) return current.provider
    // Loaded when a program first connects: in most processes none ever does.
    const provider = (await import('./provider.ts')).createProvider(parts, keys)
    current = { keys: named, provider }
    return provider
  }

  return {
    serve: async (request, response, path) => serveMounted(await providerNow(), addresses, { request, response, path }),

    async consentRequest(request, response, uid) {
      const { client, scopes, redirectUri } = await interactionOf(await providerNow(), { request, response }, uid)
      const { clientId, clientName = null } = client
      return { clientId, clientName, redirectUri, scopes: ownScopes(scopes) }
    },

    async answer(request, response, uid, user) {
      const provider = await providerNow()
      const { client, scopes } = await interactionOf(provider, { request, response }, uid)
      const options = { mergeWithLastSubmission: false }
      if (user === null) {
        const error_description = 'the person declined'
        return provider.interactionResult(request, response, { error: 'access_denied', error_description }, options)
      }
      const grant = new provider.Grant({ accountId: user.id, clientId: client.clientId })
      const granted = ownScopes(scopes)
      grant.addOIDCScope([...granted, ...scopes.filter((scope) => scope === 'offline_access')].join(' '))
      grant.addResourceScope(addresses.resource, granted.join(' '))
      const grantId = await grant.save()
      const result = { login: { accountId: user.id, remember: false }, consent: { grantId } }
      return provider.interactionResult(request, response, result, options)
    },

    async authenticate(token) {
      if (token === undefined || !OPAQUE.test(token)) throw unauthenticated()
      const provider = await providerNow()
      const found = await provider.AccessToken.find(token)
      if (found === undefined || !found.isValid || found.aud !== addresses.resource) throw unauthenticated()
      // What was revoked while it was issued has no grant.
      const grant = found.grantId === undefined ? undefined : await provider.Grant.find(found.grantId)
      const user = grant === undefined || grant.isExpired ? undefined : await identity.user(found.accountId)
      if (user === undefined || found.grantId === undefined) throw unauthenticated()
      const scopes = ownScopes(found.scopes)
      return { keyId: `oauth ${found.grantId}`, type: 'USER', agentId: null, scopes, user }
    },
  }
}

type Exchange = Readonly<{ request: IncomingMessage; response: ServerResponse }>

/** Hands a request to the library as if it stood at the issuer's own address, whatever the client calls us. */
async function serveMounted(
  provider: Provider,
  { issuer }: OauthAddresses,
  { request, response, path }: Exchange & Readonly<{ path: string }>,
): Promise<void> {
  const { host, protocol, pathname } = new URL(issuer)
  const { 'x-forwarded-for': _, ...headers } = request.headers
  // No session of a browser is used again: each grant has a signature of its own.
  const cookie = headers.cookie?.replace(/(^|;\s*)cs_oauth_session[^;]*/g, '')
  request.headers = {
    ...headers,
    host,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    ...(cookie !== undefined && { cookie }),
  }
  const served = new Promise<void>((resolve) => {
    response.once('close', resolve)
  })
  const mounted = Object.assign(request, { originalUrl: pathname + path, url: path })
  await provider.callback()(mounted, response)
  await served
}

/** What waits in a browser, and who asked for it. */
async function interactionOf(provider: Provider, { request, response }: Exchange, uid: string) {
  const found = await provider.interactionDetails(request, response).catch((thrown: unknown) => {
    if (thrown instanceof Error && thrown.name === 'SessionNotFound') return undefined
    throw thrown
  })
  if (found === undefined || found.uid !== uid)
    throw new CountersignError('gone', 'This request has expired, or belongs to another browser. Start again.')
  const client = await provider.Client.find(textOf(found.params['client_id']))
  if (client === undefined) throw new CountersignError('gone', 'The program that asked is gone. Start again.')
  const scopes = textOf(found.params['scope']).split(' ')
  return { client, scopes, redirectUri: textOf(found.params['redirect_uri']) }
}

/** The authorization endpoint's query, with the usual scopes where it names none. */
export function withUsualScopes(query: string): string {
  const parameters = new URLSearchParams(query)
  if (parameters.has('scope')) return query
  parameters.set('scope', USUAL_SCOPES.join(' '))
  return parameters.toString()
}

function textOf(parameter: unknown): string {
  return typeof parameter === 'string' ? parameter : ''
}

function unauthenticated(): CountersignError {
  return new CountersignError('unauthenticated', 'A valid access token for this resource is needed.')
}
