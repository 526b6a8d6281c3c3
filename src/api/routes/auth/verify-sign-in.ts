import { SessionTokens, SignedMessage } from '../../../schema/user.ts'
import { route } from '../../route.ts'
import { sessionTokensOf } from '../../session-tokens.ts'

/** POST /auth/siwe/verify (specification 4.3, contract section 8). */
export const verifySignIn = route({
  operationId: 'verifySignIn',
  method: 'POST',
  path: '/api/auth/siwe/verify',
  summary: 'Sign in with a signed EIP-4361 message.',
  auth: 'none',
  scopes: [],
  limit: 'auth',
  body: SignedMessage,
  responses: { 200: SessionTokens },
  errors: ['unauthenticated'],
}).handle(async ({ body }, { identity }) => {
  const user = await identity.signIn.prove(body, 'sign-in')
  return { status: 200, body: sessionTokensOf(user, await identity.sessions.open(user)) }
})
