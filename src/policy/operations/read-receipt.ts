import { CountersignError } from '../../lib/errors.ts'
import type { PolicyDeps, ReceiptReading } from '../operation.ts'
import { ownTransaction, type Principal, READ_SCOPES } from '../principal.ts'

/** The signed receipt of a decision, and what became of the action since (contract section 8). */
export async function readReceipt(
  { storage, attestor }: PolicyDeps,
  principal: Principal,
  requestHash: string,
  form: Readonly<{ typed: boolean }>,
): Promise<ReceiptReading> {
  const transaction = await ownTransaction(storage.stores, principal, requestHash, READ_SCOPES)
  const signed = (await storage.stores.verdicts.byRequestHash(transaction.requestHash))?.receipt
  if (!signed) throw new CountersignError('not_found', 'This submission is not decided yet, so it has no receipt.')
  const typed = form.typed ? await attestor.typed(signed.receipt) : undefined
  return { ...signed, status: transaction.status, ...(typed && { typed }) }
}
