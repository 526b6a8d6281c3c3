import { TransactionRecord } from '../../../schema/action.ts'
import { callerOf } from '../../caller.ts'
import { route } from '../../route.ts'
import { TransactionPath } from '../../transaction-path.ts'

/** POST /transactions/{requestHash}/cancel (contract section 4). Releases what an approval holds. */
export const cancelTransaction = route({
  operationId: 'cancelTransaction',
  method: 'POST',
  path: '/api/transactions/:requestHash/cancel',
  summary: 'Give up an action that will not be executed.',
  auth: 'api-key',
  scopes: ['verdicts:create:own', 'transactions:create:own'],
  params: TransactionPath,
  responses: { 200: TransactionRecord },
  errors: ['not_owner', 'not_found', 'not_approved', 'already_executed', 'conflict'],
}).handle(async ({ params, principal }, { policy }) => ({
  status: 200,
  body: await policy.cancel(callerOf(principal), params.requestHash),
}))
