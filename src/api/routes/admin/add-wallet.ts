import { z } from 'zod'
import { Wallet } from '../../../schema/agent.ts'
import { route } from '../../route.ts'

/** POST /admin/agents/{id}/wallets (contract section 3). */
export const addWallet = route({
  operationId: 'addWallet',
  method: 'POST',
  path: '/api/admin/agents/:id/wallets',
  summary: 'Register a wallet of an agent for a set of chains.',
  auth: 'admin-key',
  scopes: ['agents:write:any'],
  params: z.strictObject({ id: z.string().min(1).max(64) }),
  body: Wallet,
  responses: { 201: Wallet },
  errors: ['not_found', 'conflict'],
}).handle(async ({ params, body, principal }, { agents }) => ({
  status: 201,
  body: await agents.addWallet(params.id, body, principal.keyId),
}))
