import { PendingConnection } from '../../../schema/user.ts'
import { rightsOf } from '../../approval-statement.ts'
import { ConnectionPath } from '../../connection-path.ts'
import { route } from '../../route.ts'

/** GET /auth/connect/requests/{requestId}: what the approval page shows. */
export const readConnectionRequest = route({
  operationId: 'readConnectionRequest',
  method: 'GET',
  path: '/api/auth/connect/requests/:requestId',
  summary: 'Read a connection request that waits for its approval.',
  auth: 'none',
  scopes: [],
  params: ConnectionPath,
  responses: { 200: PendingConnection },
  errors: ['gone'],
}).handle(async ({ params }, { identity }) => {
  const request = await identity.connections.read(params.requestId)
  return { status: 200, body: { ...request, rights: rightsOf(request.scopes) } }
})
