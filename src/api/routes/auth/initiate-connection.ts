import { ConnectionStart, StartedConnection } from '../../../schema/user.ts'
import { route } from '../../route.ts'

/** POST /auth/connect/initiate (specification 4.3). The address names the request, and is worth nothing to who polls. */
export const initiateConnection = route({
  operationId: 'initiateConnection',
  method: 'POST',
  path: '/api/auth/connect/initiate',
  summary: 'Start the code flow: show the address to a person, and poll with the code.',
  auth: 'none',
  scopes: [],
  limit: 'auth',
  body: ConnectionStart.prefault({}),
  responses: { 200: StartedConnection },
  errors: [],
}).handle(async ({ body }, { identity, settings }) => {
  const { code, requestId, expiresAt } = await identity.connections.initiate(body)
  const authUrl = `${settings.publicUrl}/auth/connect?request=${requestId}`
  return { status: 200, body: { code, authUrl, expiresAt } }
})
