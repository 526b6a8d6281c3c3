/** Where the authorization server and what it protects are, as clients see them. */
export type OauthAddresses = Readonly<{
  issuer: string
  /** The MCP endpoint: the one resource that tokens are for. */
  resource: string
  /** The metadata of the resource (RFC 9728), which a refused client is led to. */
  resourceMetadata: string
  authorizationServer: string
}>

/** Path below the issuer of each endpoint. */
export const OAUTH_PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
} as const

/** The addresses under a public URL, which ends in no slash. The metadata's are in the path-inserted form. */
export function oauthAddresses(publicUrl: string): OauthAddresses {
  const { origin, pathname } = new URL(publicUrl)
  const path = pathname === '/' ? '' : pathname
  return {
    issuer: publicUrl,
    resource: `${publicUrl}/mcp`,
    resourceMetadata: `${origin}/.well-known/oauth-protected-resource${path}/mcp`,
    authorizationServer: `${origin}/.well-known/oauth-authorization-server${path}`,
  }
}
