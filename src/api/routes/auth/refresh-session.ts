import { z } from 'zod'
import { RefreshToken, SessionTokens } from '../../../schema/user.ts'
import { route } from '../../route.ts'
import { sessionTokensOf } from '../../session-tokens.ts'

/** POST /auth/refresh (contract section 8). A refresh token that comes a second time ends its session. */
export const refreshSession = route({
  operationId: 'refreshSession',
  method: 'POST',
  path: '/api/auth/refresh',
  summary: 'Replace a refresh token by new tokens.',
  auth: 'none',
  scopes: [],
  limit: 'auth',
  body: z.strictObject({ refreshToken: RefreshToken }).meta({ id: 'RefreshRequest' }),
  responses: { 200: SessionTokens },
  errors: ['unauthenticated'],
}).handle(async ({ body: { refreshToken } }, { identity }) => {
  const { user, ...tokens } = await identity.sessions.refresh(refreshToken)
  return { status: 200, body: sessionTokensOf(user, tokens) }
})
