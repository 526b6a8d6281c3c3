import { ApprovalStatus } from '../../../schema/approval-status.ts'
import { ReviewRequest } from '../../../schema/review.ts'
import { opinionsOf } from '../../approval-status.ts'
import { callerOf } from '../../caller.ts'
import { route } from '../../route.ts'
import { TransactionPath } from '../../transaction-path.ts'

/** POST /transactions/{requestHash}/review (contract section 4). The same word again answers the same. */
export const reviewTransaction = route({
  operationId: 'reviewTransaction',
  method: 'POST',
  path: '/api/transactions/:requestHash/review',
  summary: 'Approve or reject an action that the policy holds for a person.',
  auth: 'api-key',
  scopes: ['transactions:approve:own'],
  params: TransactionPath,
  body: ReviewRequest,
  responses: { 200: ApprovalStatus },
  errors: ['not_owner', 'not_found', 'conflict'],
}).handle(async ({ params, body, principal }, { policy }) => {
  const { verdict } = await policy.review(callerOf(principal), params.requestHash, body)
  return { status: 200, body: { verdict, reviewer: opinionsOf(verdict, null) } }
})
