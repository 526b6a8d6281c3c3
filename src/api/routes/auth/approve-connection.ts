import { z } from 'zod'
import { SignedMessage } from '../../../schema/user.ts'
import { ConnectionPath } from '../../connection-path.ts'
import { route } from '../../route.ts'

/** POST /auth/connect/requests/{requestId}/approve: the next poll of the code gets its key. */
export const approveConnection = route({
  operationId: 'approveConnection',
  method: 'POST',
  path: '/api/auth/connect/requests/:requestId/approve',
  summary: 'Approve a connection request with its signed message.',
  auth: 'none',
  scopes: [],
  limit: 'auth',
  params: ConnectionPath,
  body: SignedMessage,
  responses: { 204: z.undefined() },
  errors: ['unauthenticated', 'gone'],
}).handle(async ({ params: { requestId }, body }, { identity }) => {
  await identity.connections.read(requestId)
  await identity.connections.decide(requestId, await identity.signIn.prove(body, `connect ${requestId}`))
  return { status: 204, body: undefined }
})
