import { canonicalJson } from '../../lib/canonical-json.ts'
import { CountersignError } from '../../lib/errors.ts'
import { isEvmTx, type TransactionRecord } from '../../schema/action.ts'
import type { ExecutionClaim } from '../../schema/verification.ts'
import type { ExecutionReport } from '../../storage/index.ts'
import { followOrders } from '../follow-orders.ts'
import { transition } from '../lifecycle.ts'
import type { PolicyDeps } from '../operation.ts'
import { ownTransaction, type Principal, SUBMIT_SCOPES } from '../principal.ts'
import { recordOf } from '../record.ts'

/** Stores that an approved action was executed, and posts its hold. The same report again gives the same. */
export async function reportExecution(
  { storage }: PolicyDeps,
  principal: Principal,
  requestHash: string,
  claim: ExecutionClaim,
): Promise<TransactionRecord> {
  const { wallet, proposedTx } = await ownTransaction(storage.stores, principal, requestHash, SUBMIT_SCOPES)
  const report = reportOf(claim, isEvmTx(proposedTx))
  return storage.transaction(async (stores) => {
    await stores.wallets.lock(wallet)
    const transaction = await ownTransaction(stores, principal, requestHash, SUBMIT_SCOPES)
    if (transaction.report !== null && canonicalJson(transaction.report) === canonicalJson(report))
      return recordOf(transaction)
    const next = transition(transaction.status, 'execute')
    if ('conflict' in next)
      throw new CountersignError(
        next.conflict,
        `A transaction that is ${transaction.status} cannot be reported as executed.`,
      )
    const own = await stores.executions.byRequestHash(transaction.requestHash)
    if (own ?? (await stores.venueOrders.action(transaction.requestHash)))
      throw new CountersignError('conflict', 'This service executes it itself.')
    // Past its time an approval is worth nothing, even where nobody has ended it yet: its room may be another's by now.
    const decided = await stores.verdicts.byRequestHash(transaction.requestHash)
    const { approvedUntil = null } = decided ?? {}
    const inTime = approvedUntil !== null && (await storage.now()) < approvedUntil
    // What an order holds is free when the venue says that it ended.
    const orderId = 'orderId' in report ? report.orderId : undefined
    const followed = decided !== undefined && inTime && (await followOrders(stores, transaction, decided, orderId))
    const ends = () =>
      followed ? stores.holds.keep(transaction.requestHash) : stores.holds.settle(transaction.requestHash, 'posted')
    if (!inTime || !(await ends())) throw new CountersignError('not_approved', 'The approval has expired.')
    await stores.transactions.move(transaction.requestHash, [transaction.status], next.to, report)
    await stores.audit.append({
      kind: 'execution',
      subject: transaction.requestHash,
      payload: { by: principal.id, report },
    })
    return recordOf({ ...transaction, status: next.to })
  })
}

/** On chain a transaction's hash, at a typed-data venue one of the order's ids: nothing else, and nothing beside it. */
function reportOf({ txHash, orderId, cloid }: ExecutionClaim, onChain: boolean): ExecutionReport {
  if (onChain) {
    if (txHash === undefined)
      throw new CountersignError('tx_hash_required', 'An execution report names the transaction: txHash is missing.', {
        fields: [{ path: 'txHash', message: 'expected 0x and 64 hex digits' }],
      })
    if (orderId === undefined && cloid === undefined) return { txHash }
    throw wrong(orderId === undefined ? 'cloid' : 'orderId', 'is for orders of a venue; an on-chain action has txHash')
  }
  if (txHash !== undefined) throw wrong('txHash', 'is for on-chain actions; an order has orderId or cloid')
  if (orderId !== undefined && cloid === undefined) return { orderId }
  if (cloid !== undefined && orderId === undefined) return { cloid }
  throw wrong('orderId', 'expected either orderId or cloid')
}

function wrong(path: string, message: string): CountersignError {
  return new CountersignError('invalid_request', `${path} ${message}.`, { fields: [{ path, message }] })
}
