import { z } from 'zod'
import { CountersignError } from '../../../lib/errors.ts'
import { TransactionRecord } from '../../../schema/action.ts'
import { Hash } from '../../../schema/primitives.ts'
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
  body: z.strictObject({ txHash: Hash.optional() }).meta({ id: 'ExecutionReport' }),
  responses: { 200: TransactionRecord },
  errors: ['tx_hash_required', 'not_owner', 'not_found', 'not_approved', 'cancelled', 'already_executed'],
}).handle(async ({ params, body: { txHash }, principal }, { policy }) => {
  if (txHash === undefined)
    throw new CountersignError('tx_hash_required', 'An execution report names the transaction: txHash is missing.', {
      fields: [{ path: 'txHash', message: 'expected 0x and 64 hex digits' }],
    })
  return { status: 200, body: await policy.reportExecution(callerOf(principal), params.requestHash, { txHash }) }
})
