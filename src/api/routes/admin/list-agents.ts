import { Agent } from '../../../schema/agent.ts'
import { PageQuery, pageOf } from '../../../schema/page.ts'
import { route } from '../../route.ts'

/** GET /admin/agents (contract section 3). */
export const listAgents = route({
  operationId: 'listAgents',
  method: 'GET',
  path: '/api/admin/agents',
  summary: 'List the agents.',
  auth: 'admin-key',
  scopes: ['agents:read:any'],
  query: PageQuery,
  responses: { 200: pageOf(Agent) },
  errors: [],
}).handle(async ({ query }, { agents }) => ({ status: 200, body: await agents.list(query) }))
