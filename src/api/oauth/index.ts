export { oauthAddresses } from './addresses.ts'
export { type AuthorizationServer, createAuthorizationServer } from './authorization-server.ts'
export { addOauth } from './mount.ts'
