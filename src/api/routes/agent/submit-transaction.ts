import { SubmitRequest, TransactionRecord } from '../../../schema/action.ts'
import { callerOf } from '../../caller.ts'
import { route } from '../../route.ts'

/** POST /transactions (specification 4.1). Answers once the transaction is stored; the verdict follows. */
export const submitTransaction = route({
  operationId: 'submitTransaction',
  method: 'POST',
  path: '/api/transactions',
  summary: 'Submit a proposed action.',
  auth: 'api-key',
  scopes: ['verdicts:create:own', 'transactions:create:own'],
  body: SubmitRequest,
  responses: { 201: TransactionRecord },
  errors: ['wallet_not_registered'],
}).handle(async ({ body, principal }, { policy }) => {
  const { record } = await policy.submit(callerOf(principal), body)
  return { status: 201, body: record }
})
