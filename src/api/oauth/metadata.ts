import { OAUTH_PATHS, type OauthAddresses } from './addresses.ts'
import { OAUTH_SCOPES } from './scopes.ts'

/** Metadata of the authorization server (RFC 8414). */
export function authorizationServerMetadata({ issuer }: OauthAddresses) {
  return {
    issuer,
    authorization_endpoint: issuer + OAUTH_PATHS.authorization,
    token_endpoint: issuer + OAUTH_PATHS.token,
    registration_endpoint: issuer + OAUTH_PATHS.registration,
    revocation_endpoint: issuer + OAUTH_PATHS.revocation,
    jwks_uri: issuer + OAUTH_PATHS.jwks,
    scopes_supported: [...OAUTH_SCOPES, 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: `${issuer}/openapi.json`,
  }
}

/** Metadata of what it protects (RFC 9728). */
export function protectedResourceMetadata({ issuer, resource }: OauthAddresses) {
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: [...OAUTH_SCOPES],
    bearer_methods_supported: ['header'],
    resource_name: 'countersign',
    resource_documentation: `${issuer}/openapi.json`,
  }
}
