import { z } from 'zod'
import { TransactionStatus } from '../../../schema/action.ts'
import { SignedReceipt, TypedReceipt } from '../../../schema/receipt.ts'
import { callerOf } from '../../caller.ts'
import { route } from '../../route.ts'
import { TransactionPath } from '../../transaction-path.ts'

const ReceiptReading = SignedReceipt.extend({
  /** How far the transaction is now; no signature covers it. */
  status: TransactionStatus,
  typed: TypedReceipt.optional(),
}).meta({ id: 'ReceiptReading' })

/** GET /transactions/{requestHash}/receipt (contract sections 4 and 8). `form=eip712` adds the typed data of an approval. */
export const readReceipt = route({
  operationId: 'readReceipt',
  method: 'GET',
  path: '/api/transactions/:requestHash/receipt',
  summary: 'Read the signed receipt of a decision.',
  auth: 'api-key',
  scopes: ['transactions:read:own', 'verdicts:create:own', 'transactions:create:own'],
  params: TransactionPath,
  query: z.object({ form: z.enum(['ed25519', 'eip712']).default('ed25519') }),
  responses: { 200: ReceiptReading },
  errors: ['not_owner', 'not_found'],
}).handle(async ({ params, query, principal }, { policy }) => {
  const form = { typed: query.form === 'eip712' }
  return { status: 200, body: await policy.readReceipt(callerOf(principal), params.requestHash, form) }
})
