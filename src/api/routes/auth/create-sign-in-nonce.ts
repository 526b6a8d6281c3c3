import { Nonce, NonceRequest } from '../../../schema/user.ts'
import { route } from '../../route.ts'

/** POST /auth/siwe/nonce (specification 4.3, contract section 8). */
export const createSignInNonce = route({
  operationId: 'createSignInNonce',
  method: 'POST',
  path: '/api/auth/siwe/nonce',
  summary: 'Get a nonce for one sign-in message.',
  auth: 'none',
  scopes: [],
  limit: 'auth',
  body: NonceRequest.prefault({}),
  responses: { 200: Nonce },
  errors: [],
}).handle(async ({ body }, { identity }) => ({ status: 200, body: await identity.signIn.nonce(body.walletAddress) }))
