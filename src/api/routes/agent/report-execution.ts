import { TransactionRecord } from '../../../schema/action.ts'
import { ExecutionClaim } from '../../../schema/verification.ts'
import { callerOf } from '../../caller.ts'
import { route } from '../../route.ts'
import { TransactionPath } from '../../transaction-path.ts'

/** POST /transactions/{requestHash}/execution (contract section 4). The same report again answers the same. */
export const reportExecution = route({
  operationId: 'reportExecution',
  method: 'POST',
  path: '/api/transactions/:requestHash/execution',
  summary: 'Report that an approved action was executed.',
  auth: 'api-key',
  scopes: ['verdicts:create:own', 'transactions:create:own'],
  params: TransactionPath,
  body: ExecutionClaim,
  responses: { 200: TransactionRecord },
  errors: ['tx_hash_required', 'not_owner', 'not_found', 'not_approved', 'cancelled', 'already_executed'],
}).handle(async ({ params, body, principal }, { policy }) => ({
  status: 200,
  body: await policy.reportExecution(callerOf(principal), params.requestHash, body),
}))
