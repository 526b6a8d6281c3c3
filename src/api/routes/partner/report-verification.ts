import { ExecutionClaim, Verification } from '../../../schema/verification.ts'
import { callerOf } from '../../caller.ts'
import { route } from '../../route.ts'
import { VerificationPath } from '../../verification-path.ts'

/** POST /integrator/verifications/{id}/execution (specification 3 and 4.2). The same report again answers the same. */
export const reportVerification = route({
  operationId: 'reportVerification',
  method: 'POST',
  path: '/api/integrator/verifications/:id/execution',
  summary: 'Report that an approved transaction was executed.',
  auth: 'integration-key',
  scopes: ['verdicts:create:own', 'transactions:create:own'],
  params: VerificationPath,
  body: ExecutionClaim,
  responses: { 200: Verification },
  errors: ['tx_hash_required', 'not_found', 'not_approved', 'cancelled', 'already_executed', 'conflict'],
}).handle(async ({ params, body, principal }, { policy }) => ({
  status: 200,
  body: await policy.reportVerification(callerOf(principal), params.id, body),
}))
