import { z } from 'zod'
import { RefreshToken } from '../../../schema/user.ts'
import { bearerOf } from '../../bearer.ts'
import { route } from '../../route.ts'

/** POST /auth/logout (contract section 8). Either token of the session is enough; both are worthless at once. */
export const endSession = route({
  operationId: 'endSession',
  method: 'POST',
  path: '/api/auth/logout',
  summary: 'End the session of an access token, or of a refresh token in the body.',
  auth: 'none',
  scopes: [],
  limit: 'auth',
  headers: z.object({ authorization: z.string().max(4_096).optional() }),
  body: z.strictObject({ refreshToken: RefreshToken.optional() }).meta({ id: 'LogoutRequest' }).prefault({}),
  responses: { 204: z.undefined() },
  errors: ['unauthenticated'],
}).handle(async ({ headers, body: { refreshToken } }, { identity }) => {
  await identity.sessions.end(refreshToken ?? bearerOf(headers.authorization) ?? '')
  return { status: 204, body: undefined }
})
