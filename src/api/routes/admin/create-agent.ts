import { Agent, NewAgent } from '../../../schema/agent.ts'
import { route } from '../../route.ts'

/** POST /admin/agents (contract section 3). */
export const createAgent = route({
  operationId: 'createAgent',
  method: 'POST',
  path: '/api/admin/agents',
  summary: 'Register an agent, with its wallets if it has any yet.',
  auth: 'admin-key',
  scopes: ['agents:write:any'],
  body: NewAgent,
  responses: { 201: Agent },
  errors: ['conflict'],
}).handle(async ({ body, principal }, { agents }) => ({
  status: 201,
  body: await agents.register(body, principal.keyId),
}))
