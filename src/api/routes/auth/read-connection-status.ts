import { z } from 'zod'
import { ConnectionStatus } from '../../../schema/user.ts'
import { route } from '../../route.ts'

/** GET /auth/connect/status (specification 4.3). The poll that finds it ready gets the key, and no other. */
export const readConnectionStatus = route({
  operationId: 'readConnectionStatus',
  method: 'GET',
  path: '/api/auth/connect/status',
  summary: 'Poll a connection code, every 3 to 5 seconds.',
  auth: 'none',
  scopes: [],
  query: z.strictObject({ code: z.string().regex(/^[0-9a-f]{32}$/, 'expected the 32 hex characters of a code') }),
  responses: { 200: ConnectionStatus },
  errors: ['not_found', 'gone'],
}).handle(async ({ query: { code } }, { identity }) => ({
  status: 200,
  body: await identity.connections.status(code),
}))
