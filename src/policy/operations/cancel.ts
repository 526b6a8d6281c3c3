import { CountersignError } from '../../lib/errors.ts'
import type { TransactionRecord } from '../../schema/action.ts'
import { followOrders } from '../follow-orders.ts'
import { transition } from '../lifecycle.ts'
import type { PolicyDeps } from '../operation.ts'
import { ownTransaction, type Principal, SUBMIT_SCOPES } from '../principal.ts'
import { recordOf } from '../record.ts'

/**
 * Gives up an approval and frees its hold; what a venue's order holds is free when the venue says that it ended. Again
 * gives the same; once it is signed it is too late.
 */
export async function cancel(
  { storage }: PolicyDeps,
  principal: Principal,
  requestHash: string,
): Promise<TransactionRecord> {
  const { wallet } = await ownTransaction(storage.stores, principal, requestHash, SUBMIT_SCOPES)
  return storage.transaction(async (stores) => {
    await stores.wallets.lock(wallet)
    const transaction = await ownTransaction(stores, principal, requestHash, SUBMIT_SCOPES)
    if (transaction.status === 'CANCELLED') return recordOf(transaction)
    const next = transition(transaction.status, 'cancel')
    if ('conflict' in next)
      throw new CountersignError(next.conflict, `A transaction that is ${transaction.status} cannot be cancelled.`)
    const signed =
      (await stores.executions.byRequestHash(transaction.requestHash)) ??
      (await stores.venueOrders.action(transaction.requestHash))
    if (signed)
      throw new CountersignError('conflict', 'Its transaction is signed already and may be mined at any time.')
    // The hold first, as everywhere: of a cancel, a report and an expiry at once, the one that ends it has won.
    const decided = await stores.verdicts.byRequestHash(transaction.requestHash)
    const followed = decided !== undefined && (await followOrders(stores, transaction, decided))
    const ends = () =>
      followed ? stores.holds.keep(transaction.requestHash) : stores.holds.settle(transaction.requestHash, 'voided')
    if (!(await ends())) throw new CountersignError('not_approved', 'The approval has expired.')
    await stores.transactions.move(transaction.requestHash, [transaction.status], next.to)
    await stores.audit.append({ kind: 'cancel', subject: transaction.requestHash, payload: { by: principal.id } })
    return recordOf({ ...transaction, status: next.to })
  })
}
