import { z } from 'zod'
import { IntegratorWallet } from '../../../schema/integrator.ts'
import { route } from '../../route.ts'

/** POST /admin/integrators/{appId}/wallets (contract section 3). */
export const addIntegratorWallet = route({
  operationId: 'addIntegratorWallet',
  method: 'POST',
  path: '/api/admin/integrators/:appId/wallets',
  summary: 'Let an integrator ask about a wallet on a set of chains.',
  auth: 'admin-key',
  scopes: ['integrators:write:any'],
  params: z.strictObject({ appId: z.string().min(1).max(64) }),
  body: IntegratorWallet,
  responses: { 201: IntegratorWallet },
  errors: ['not_found'],
}).handle(async ({ params, body, principal }, { integrators }) => ({
  status: 201,
  body: await integrators.addWallet(params.appId, body, principal.keyId),
}))
