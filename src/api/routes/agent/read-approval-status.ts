import { ApprovalStatus } from '../../../schema/approval-status.ts'
import { opinionsOf } from '../../approval-status.ts'
import { callerOf } from '../../caller.ts'
import { route } from '../../route.ts'
import { TransactionPath } from '../../transaction-path.ts'

/** GET /transactions/{requestHash}/approval-status (specification 4.1, contract section 4). */
export const readApprovalStatus = route({
  operationId: 'readApprovalStatus',
  method: 'GET',
  path: '/api/transactions/:requestHash/approval-status',
  summary: 'Read the verdict on a submitted action.',
  auth: 'api-key',
  scopes: ['transactions:read:own', 'verdicts:create:own', 'transactions:create:own'],
  params: TransactionPath,
  responses: { 200: ApprovalStatus },
  errors: ['not_owner', 'not_found'],
}).handle(async ({ params, principal }, { policy }) => {
  const { verdict, review } = await policy.readVerdict(callerOf(principal), params.requestHash)
  return { status: 200, body: { verdict, reviewer: opinionsOf(verdict, review) } }
})
