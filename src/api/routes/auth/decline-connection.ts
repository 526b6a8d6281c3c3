import { z } from 'zod'
import { ConnectionPath } from '../../connection-path.ts'
import { route } from '../../route.ts'

/** POST /auth/connect/requests/{requestId}/decline: whoever has the address may refuse it. */
export const declineConnection = route({
  operationId: 'declineConnection',
  method: 'POST',
  path: '/api/auth/connect/requests/:requestId/decline',
  summary: 'Decline a connection request.',
  auth: 'none',
  scopes: [],
  limit: 'auth',
  params: ConnectionPath,
  responses: { 204: z.undefined() },
  errors: ['gone'],
}).handle(async ({ params: { requestId } }, { identity }) => {
  await identity.connections.decide(requestId, null)
  return { status: 204, body: undefined }
})
