import type { JWK } from 'jose'
import { type Configuration, errors, Provider } from 'oidc-provider'
import type { Identity } from '../../auth/index.ts'
import { CountersignError } from '../../lib/errors.ts'
import { sha256 } from '../../lib/hash.ts'
import type { Log } from '../../lib/log.ts'
import { adapterOver } from './adapter.ts'
import { OAUTH_PATHS, type OauthAddresses } from './addresses.ts'
import { CHECKED_METADATA, checkClientMetadata } from './client-metadata.ts'
import { OAUTH_SCOPES } from './scopes.ts'

/** What the authorization server works with. `fetch` reads the metadata documents of clients. */
export type ProviderParts = Readonly<{
  addresses: OauthAddresses
  identity: Pick<Identity, 'oauthRecords' | 'user'>
  log: Log
  fetch: typeof fetch
}>

const DAY = 86_400
/** Lifetimes in seconds. */
const TTL = {
  AuthorizationCode: 60,
  AccessToken: 600,
  RefreshToken: 30 * DAY,
  Grant: 60 * DAY,
  Interaction: 600,
  Session: 600,
  IdToken: 600,
} as const

/** The authorization server with one set of keys: OAuth 2.1, public clients, PKCE, opaque tokens for one resource. */
export function createProvider(parts: ProviderParts, keys: readonly [JWK, ...JWK[]]): Provider {
  const provider = new Provider(parts.addresses.issuer, configurationOf(parts, keys))
  // What the server is behind is known from its configuration, and told to it with each request.
  provider.proxy = true
  provider.on('server_error', (ctx, error) => {
    parts.log.error({ error: error.name }, 'authorization server failed')
    if (!(error instanceof CountersignError) || error.code !== 'unavailable') return
    ctx.status = error.status
    ctx.set('Retry-After', '1')
  })
  Object.defineProperty(provider.Client.prototype, 'redirectUriAllowed', { value: isRedirectOf })
  // A client that names no method is a public one here, and gets no secret.
  Object.defineProperty(provider.Client, 'needsSecret', { value: () => false })
  return provider
}

/** The library's base of this keeps a port open on loopback; here that is so only where none was registered. */
function isRedirectOf(this: Readonly<{ redirectUris?: string[] }>, uri: string): boolean {
  const registered = this.redirectUris ?? []
  return registered.includes(uri) || registered.includes(withoutLoopbackPort(uri) ?? uri)
}

/** A loopback address without its port (RFC 8252, 7.3); nothing where it is no such address, written plainly. */
function withoutLoopbackPort(uri: string): string | undefined {
  const [, scheme, port, rest] = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)):(\d{1,5})(\/.*)?$/.exec(uri) ?? []
  return scheme === undefined || port === undefined ? undefined : scheme + (rest ?? '')
}

function configurationOf(parts: ProviderParts, keys: readonly [JWK, ...JWK[]]): Configuration {
  const { addresses, identity } = parts
  return {
    adapter: adapterOver(identity.oauthRecords),
    jwks: { keys: [...keys] },
    cookies: {
      keys: keys.map(({ d = '' }) => sha256(`cookies ${d}`)),
      names: { session: 'cs_oauth_session', interaction: 'cs_oauth_request', resume: 'cs_oauth_resume' },
      long: { httpOnly: true, sameSite: 'lax', signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    ttl: TTL,
    routes: OAUTH_PATHS,
    scopes: ['offline_access', ...OAUTH_SCOPES],
    responseTypes: ['code'],
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: () => true },
    clientAuthMethods: ['none'],
    clientDefaults: {
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'EdDSA',
    },
    extraClientMetadata: {
      properties: CHECKED_METADATA,
      validator: (_, name, value) => checkClientMetadata(name, value),
    },
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    expiresWithSession: () => false,
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    findAccount: async (_, id) => {
      const user = await identity.user(id)
      return user && { accountId: user.id, claims: () => ({ sub: user.id }) }
    },
    interactions: { url: (_, { uid }) => `${addresses.issuer}/oauth/consent/${uid}` },
    renderError: (ctx, { error, error_description }) => {
      ctx.type = 'application/json'
      ctx.body = { error, error_description }
    },
    fetch: parts.fetch,
    features: featuresOf(addresses),
  }
}

function featuresOf({ resource }: OauthAddresses): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    // What it protects asks for no proof: a token must not say that it is bound to a key.
    dPoP: { enabled: false },
    revocation: { enabled: true, allowedPolicy: async (_, client, token) => token.clientId === client.clientId },
    registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, asked) => {
        if (asked !== resource) throw new errors.InvalidTarget(`the one resource is ${resource}`)
        return {
          scope: OAUTH_SCOPES.join(' '),
          audience: resource,
          accessTokenFormat: 'opaque',
          accessTokenTTL: TTL.AccessToken,
        }
      },
    },
  }
}
