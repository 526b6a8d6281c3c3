import { z } from 'zod'
import { LegacySubmitRequest, SubmitRequest, TransactionRecord } from '../../../schema/action.ts'
import { callerOf } from '../../caller.ts'
import { submissionOf } from '../../legacy-submission.ts'
import { route } from '../../route.ts'

/** POST /transactions (specification 2.1, 2.2, 4.1). Answers once the transaction is stored; the verdict follows. */
export const submitTransaction = route({
  operationId: 'submitTransaction',
  method: 'POST',
  path: '/api/transactions',
  summary: 'Submit a proposed action.',
  auth: 'api-key',
  scopes: ['verdicts:create:own', 'transactions:create:own'],
  body: z.union([SubmitRequest, LegacySubmitRequest]),
  responses: { 201: TransactionRecord },
  errors: ['wallet_not_registered'],
}).handle(async ({ body, principal }, { policy }) => {
  const request = 'tx' in body ? await submissionOf(body) : body
  const { record } = await policy.submit(callerOf(principal), request)
  return { status: 201, body: record }
})
