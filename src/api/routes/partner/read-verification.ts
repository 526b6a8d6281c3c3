import { Verification } from '../../../schema/verification.ts'
import { callerOf } from '../../caller.ts'
import { route } from '../../route.ts'
import { VerificationPath } from '../../verification-path.ts'

/** GET /integrator/verifications/{id} (specification 4.2). */
export const readVerification = route({
  operationId: 'readVerification',
  method: 'GET',
  path: '/api/integrator/verifications/:id',
  summary: 'Read a verification and its verdict, by its id or its requestHash.',
  auth: 'integration-key',
  scopes: ['transactions:read:own', 'verdicts:create:own', 'transactions:create:own'],
  params: VerificationPath,
  responses: { 200: Verification },
  errors: ['not_found'],
}).handle(async ({ params, principal }, { policy }) => ({
  status: 200,
  body: await policy.readVerification(callerOf(principal), params.id),
}))
