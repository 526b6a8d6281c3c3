import { Verification } from '../../../schema/verification.ts'
import { callerOf } from '../../caller.ts'
import { route } from '../../route.ts'
import { VerificationPath } from '../../verification-path.ts'

/** POST /integrator/verifications/{id}/cancel (specification 3 and 4.2). Again answers the same. */
export const cancelVerification = route({
  operationId: 'cancelVerification',
  method: 'POST',
  path: '/api/integrator/verifications/:id/cancel',
  summary: 'Give up a verification that will not be executed.',
  auth: 'integration-key',
  scopes: ['verdicts:create:own', 'transactions:create:own'],
  params: VerificationPath,
  responses: { 200: Verification },
  errors: ['not_found', 'not_approved', 'already_executed', 'conflict'],
}).handle(async ({ params, principal }, { policy }) => ({
  status: 200,
  body: await policy.cancelVerification(callerOf(principal), params.id),
}))
