import { z } from 'zod'
import { Agent } from '../../../schema/agent.ts'
import { route } from '../../route.ts'

/** GET /admin/agents/{id} (contract section 3). */
export const readAgent = route({
  operationId: 'readAgent',
  method: 'GET',
  path: '/api/admin/agents/:id',
  summary: 'Read one agent.',
  auth: 'admin-key',
  scopes: ['agents:read:any'],
  params: z.strictObject({ id: z.string().min(1).max(64) }),
  responses: { 200: Agent },
  errors: ['not_found'],
}).handle(async ({ params }, { agents }) => ({ status: 200, body: await agents.read(params.id) }))
