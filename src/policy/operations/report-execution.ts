import { canonicalJson } from '../../lib/canonical-json.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { TransactionRecord } from '../../schema/action.ts'
import type { ExecutionReport } from '../../storage/index.ts'
import { transition } from '../lifecycle.ts'
import type { PolicyDeps } from '../operation.ts'
import { ownTransaction, type Principal, SUBMIT_SCOPES } from '../principal.ts'
import { recordOf } from '../record.ts'

/** Stores that an approved action was executed, and posts its hold. The same report again gives the same. */
export async function reportExecution(
  { storage }: PolicyDeps,
  principal: Principal,
  requestHash: string,
  report: ExecutionReport,
): Promise<TransactionRecord> {
  const { wallet } = await ownTransaction(storage.stores, principal, requestHash, SUBMIT_SCOPES)
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
    if (await stores.executions.byRequestHash(transaction.requestHash))
      throw new CountersignError('conflict', 'This service executes it itself.')
    // Past its time an approval is worth nothing, even where nobody has ended it yet: its room may be another's by now.
    const { approvedUntil = null } = (await stores.verdicts.byRequestHash(transaction.requestHash)) ?? {}
    const inTime = approvedUntil !== null && (await storage.now()) < approvedUntil
    if (!inTime || !(await stores.holds.settle(transaction.requestHash, 'posted')))
      throw new CountersignError('not_approved', 'The approval has expired.')
    await stores.transactions.move(transaction.requestHash, [transaction.status], next.to, report)
    await stores.audit.append({
      kind: 'execution',
      subject: transaction.requestHash,
      payload: { by: principal.id, report },
    })
    return recordOf({ ...transaction, status: next.to })
  })
}
