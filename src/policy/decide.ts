import { CountersignError } from '../lib/errors.ts'
import type { Result } from '../lib/result.ts'
import { traced, tracedAtOnce } from '../lib/traced.ts'
import type { Review } from '../schema/review.ts'
import type { PolicyVersion, StoredTransaction, StoredVerdict } from '../storage/index.ts'
import { approve } from './approval.ts'
import { decodeProposed } from './decode-proposed.ts'
import type { DecodedAction } from './decoded-action.ts'
import { factsNeeded } from './evaluate.ts'
import type { Facts } from './facts.ts'
import { gather } from './gather.ts'
import type { Decision, PolicyDeps } from './operation.ts'
import { questionAbout } from './source.ts'
import type { Undecided } from './store-decisions.ts'
import type { PolicyWork } from './work.ts'

/** All facts of a verdict are had or given up within this time. */
const GATHER_LIMIT_MS = 8_000

/**
 * Decodes, gathers the facts that apply, and decides under the wallet's lock, in the one database transaction that
 * stores the verdict, its hold and its audit row. Deciding what is decided already gives the stored decision.
 *
 * @throws CountersignError unavailable where the decision could not be stored: nothing was approved then
 */
export async function decide(
  work: PolicyWork,
  transaction: StoredTransaction,
  review: Review | null = null,
): Promise<Decision> {
  const prepared = prepare(work, transaction)
  return decidePrepared(work, transaction, prepared, { review, isNew: false })
}

/** What is known of an action before its decision: what it is, the policy, and the facts. */
export type Prepared = Readonly<{
  decoded: Result<DecodedAction>
  policy: PolicyVersion | null
  facts: Facts
  started: number
}>

/** Decodes, and gathers the facts that apply. An action need not be stored for that: it only must be to be decided. */
export async function prepare(
  work: PolicyWork,
  { proposedTx, wallet }: Pick<StoredTransaction, 'proposedTx' | 'wallet'>,
): Promise<Prepared> {
  const started = performance.now()
  const decoded = tracedAtOnce('decode', {}, () => decodeProposed(proposedTx, wallet))
  const policy = await work.policyOf(wallet)
  return { decoded, policy, facts: await factsOf(work, decoded, policy), started }
}

/** Decides what was prepared, and prepares it anew where the policy changed meanwhile. @throws CountersignError as `decide` */
export async function decidePrepared(
  work: PolicyWork,
  transaction: StoredTransaction,
  first: Promise<Prepared>,
  { review, isNew }: Pick<Undecided, 'review' | 'isNew'>,
): Promise<Decision> {
  for (let prepared = await first; ; prepared = { ...(await prepare(work, transaction)), started: prepared.started }) {
    const stored = await storeOrRelease(work, { transaction, ...prepared, review, isNew })
    if (stored !== 'policy changed') return decisionOf(transaction, stored)
  }
}

/** What could not be stored is anybody's to decide at once: its process does not keep it. */
async function storeOrRelease(work: PolicyWork, undecided: Undecided): Promise<StoredVerdict | 'policy changed'> {
  try {
    const { requestHash } = undecided.transaction
    const stored = await traced('decide', { requestHash }, () => work.store(undecided))
    if (stored instanceof CountersignError) throw stored
    return stored
  } catch (thrown) {
    const { requestHash } = undecided.transaction
    await work.storage.stores.undecided.release(requestHash).catch(() => undefined)
    throw thrown
  }
}

async function factsOf(deps: PolicyDeps, decoded: Result<DecodedAction>, policy: PolicyVersion | null): Promise<Facts> {
  if (!decoded.ok || !policy) return {}
  const action = decoded.value
  const needed = factsNeeded({ action, policy: policy.policy })
  return gather(needed, deps.sources, questionAbout(action, AbortSignal.timeout(GATHER_LIMIT_MS)))
}

/** A stored verdict as a decision, with its approval where there is one. */
export function decisionOf(
  { requestHash, wallet, proposedTx }: StoredTransaction,
  { verdict, approvedUntil }: StoredVerdict,
): Decision {
  const approval = approve({ requestHash, wallet, tx: proposedTx, verdict, approvedUntil })
  return { requestHash, verdict, approval }
}
