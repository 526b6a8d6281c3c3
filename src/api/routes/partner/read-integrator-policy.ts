import { z } from 'zod'
import { Address } from '../../../schema/primitives.ts'
import { IntegratorPolicy } from '../../../schema/verification.ts'
import { callerOf } from '../../caller.ts'
import { route } from '../../route.ts'

/** GET /integrator/policies (specification 4.2, contract section 7). */
export const readIntegratorPolicy = route({
  operationId: 'readIntegratorPolicy',
  method: 'GET',
  path: '/api/integrator/policies',
  summary: "Read a wallet's current policy.",
  auth: 'integration-key',
  scopes: ['policies:read:own'],
  limit: 'partnerPolicy',
  query: z.strictObject({ walletAddress: Address }),
  responses: { 200: IntegratorPolicy },
  errors: ['not_found'],
}).handle(async ({ query, principal }, { policy }) => ({
  status: 200,
  body: await policy.readIntegratorPolicy(callerOf(principal), query.walletAddress),
}))
