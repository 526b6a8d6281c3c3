import { toAddress } from '../lib/address.ts'
import { CountersignError } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import { toMicroUsd } from '../lib/usd.ts'
import type { SubmitRequest, TransactionRecord } from '../schema/action.ts'
import type { NewVerdict, Storage, StoredTransaction, StoredVerdict } from '../storage/index.ts'
import type { Principal } from './principal.ts'
import { draftOf, keep } from './submission.ts'

/**
 * What another service decided is kept here in the tables of one's own decisions, with its receipt: the gate then reads,
 * locks, uses up and journals it as it does any other.
 */

/** Keeps a submission under the id and the hash that the service gave it. @throws CountersignError conflict where there is one */
export async function keepSubmission(
  storage: Storage,
  { id, requestHash }: TransactionRecord,
  request: SubmitRequest,
  principal: Principal,
): Promise<StoredTransaction> {
  const draft = { ...draftOf(request, principal.agentId ?? '', principal), id, requestHash: requestHash as Hex }
  if ((await storage.stores.transactions.byRequestHash(draft.requestHash)) !== undefined)
    throw new CountersignError(
      'conflict',
      'The policy service answered with a submission that is known here already. A harness needs a database of its own.',
    )
  const [kept] = await storage.transaction((stores) => keep(stores, [draft]))
  if (kept === undefined) throw new CountersignError('internal', 'A row that was written is gone.')
  return kept
}

/** Keeps a verdict with the hold of an approval, once; the one that is kept already wins. */
export async function keepVerdict(
  storage: Storage,
  { requestHash, wallet, actionHash }: StoredTransaction,
  draft: NewVerdict,
): Promise<StoredVerdict> {
  const { verdict, approvedUntil, receipt } = draft
  const { outcome, reasonCode, policyVersion, usdNotional } = verdict
  return storage.transaction(async (stores) => {
    await stores.wallets.lock(wallet)
    const before = await stores.verdicts.byRequestHash(requestHash)
    if (before && (before.verdict.outcome !== 'pending' || outcome === 'pending')) return before
    const kept = await stores.verdicts.insert(draft)
    const isOpen = (await stores.transactions.byRequestHash(requestHash))?.status === 'PENDING'
    const to = { approved: 'APPROVED', rejected: 'REJECTED', pending: 'PENDING' } as const
    await stores.undecided.decide([requestHash], to[outcome])
    // What it may cost is for the owner's eyes: the ledger that counts is the service's.
    const microUsd = toMicroUsd(usdNotional ?? 0)
    if (approvedUntil !== null && isOpen)
      await stores.holds.take({ requestHash, wallet: toAddress(wallet), microUsd, expiresAt: approvedUntil })
    const signature = receipt && receipt.signature
    const payload = { outcome, reasonCode, policyVersion, actionHash, receipt: signature, decidedBy: 'service' }
    await stores.audit.append({ kind: 'verdict', subject: requestHash, payload })
    return kept
  })
}
