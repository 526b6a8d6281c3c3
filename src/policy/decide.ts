import { CountersignError, messageOf } from '../lib/errors.ts'
import { type Result, refuse } from '../lib/result.ts'
import { isEvmTx } from '../schema/action.ts'
import type { Review } from '../schema/review.ts'
import type { PolicyVersion, StoredTransaction, StoredVerdict, Stores } from '../storage/index.ts'
import { approve } from './approval.ts'
import { decodeProposed } from './decode-proposed.ts'
import type { DecodedAction } from './decoded-action.ts'
import { type Evaluation, evaluate, factsNeeded } from './evaluate.ts'
import type { Fact, Facts } from './facts.ts'
import { gather } from './gather.ts'
import { transition } from './lifecycle.ts'
import type { Decision, PolicyDeps } from './operation.ts'
import { receiptOf } from './receipt.ts'
import { questionAbout } from './source.ts'
import { valueAction } from './valuation.ts'

const DAY_MS = 86_400_000

/** All facts of a verdict are had or given up within this time. */
const GATHER_LIMIT_MS = 8_000

/**
 * Decodes, gathers the facts that apply, and decides under the wallet's lock, in the one database transaction that
 * stores the verdict, its hold and its audit row. Deciding what is decided already gives the stored decision.
 *
 * @throws CountersignError unavailable where the decision could not be stored: nothing was approved then
 */
export async function decide(
  deps: PolicyDeps,
  transaction: StoredTransaction,
  review: Review | null = null,
): Promise<Decision> {
  const started = performance.now()
  const decoded = decodeProposed(transaction.proposedTx, transaction.wallet)
  for (;;) {
    const policy = (await deps.storage.stores.policies.current(transaction.wallet)) ?? null
    const facts = await factsOf(deps, decoded, policy)
    const stored = await deps.storage.transaction((stores) =>
      store(stores, { deps, transaction, decoded, policy, facts, review, started }),
    )
    if (stored !== 'policy changed') return decisionOf(transaction, stored)
  }
}

async function factsOf(deps: PolicyDeps, decoded: Result<DecodedAction>, policy: PolicyVersion | null): Promise<Facts> {
  if (!decoded.ok || !policy) return {}
  const action = decoded.value
  const needed = factsNeeded({ action, policy: policy.policy })
  return gather(needed, deps.sources, questionAbout(action, AbortSignal.timeout(GATHER_LIMIT_MS)))
}

type Undecided = Readonly<{
  deps: PolicyDeps
  transaction: StoredTransaction
  decoded: Result<DecodedAction>
  policy: PolicyVersion | null
  facts: Facts
  review: Review | null
  started: number
}>

/** The database transaction of a decision. The lock is its first statement: a sum read before it would be older than it. */
async function store(stores: Stores, undecided: Undecided): Promise<StoredVerdict | 'policy changed'> {
  const { deps, transaction, decoded, policy, review, started } = undecided
  const { requestHash, wallet, actionHash, proposedTx } = transaction
  await stores.wallets.lock(wallet)
  const earlier = await stores.verdicts.byRequestHash(requestHash)
  if (earlier && !(review && earlier.verdict.outcome === 'pending')) return earlier
  const current = await stores.policies.current(wallet)
  if (current?.version !== policy?.version) return 'policy changed'

  const now = await deps.storage.now()
  const facts = { ...undecided.facts, outflow24h: await outflowBefore(stores, transaction, now) }
  const verdict = evaluateSafely(deps, {
    protocol: proposedTx.protocol,
    chainId: proposedTx.chainId,
    wallet,
    actionHash,
    decoded,
    policy,
    facts,
    review,
    at: new Date(now),
    latencyMs: Math.round(performance.now() - started),
  })

  const ttl = policy?.policy.approvalTtlSeconds ?? deps.approvalTtlSeconds
  const approvedUntil = verdict.outcome === 'approved' ? now + ttl * 1000 : null
  const { chainId } = proposedTx
  const decided = { requestHash, actionHash, wallet, chainId, verdict, approvedUntil }
  const receipt = verdict.outcome === 'pending' ? null : deps.attestor.sign(receiptOf(decided))
  if (review && verdict.reasonCode === 'data_unavailable')
    throw new CountersignError('unavailable', `It cannot be decided now, and stays held. ${verdict.humanReason}`)
  const stored = await stores.verdicts.insert({ requestHash, verdict, approvedUntil, receipt })
  if (verdict.outcome !== 'pending') {
    const next = transition(transaction.status, verdict.outcome === 'approved' ? 'approve' : 'reject')
    if ('to' in next) await stores.transactions.move(requestHash, ['PENDING'], next.to)
  }
  if (approvedUntil !== null && decoded.ok) {
    const microUsd = valueAction(decoded.value, facts).outflow ?? 0n
    await stores.holds.take({ requestHash, wallet, microUsd, expiresAt: approvedUntil })
  }
  const { outcome, reasonCode, policyVersion } = verdict
  if (review) await stores.audit.append({ kind: 'review', subject: requestHash, payload: review })
  await stores.audit.append({
    kind: 'verdict',
    subject: requestHash,
    payload: { outcome, reasonCode, policyVersion, actionHash, receipt: receipt && receipt.signature },
  })
  return stored
}

async function outflowBefore(
  stores: Stores,
  { wallet }: StoredTransaction,
  now: number,
): Promise<Fact<{ microUsd: string }>> {
  const microUsd = await stores.holds.outflowSince(wallet, now - DAY_MS)
  return {
    status: 'fresh',
    source: 'ledger',
    observedAt: new Date(now).toISOString(),
    value: { microUsd: microUsd.toString() },
  }
}

/** Whatever is thrown while deciding becomes a rejection that is stored, never a way past it. */
function evaluateSafely(deps: PolicyDeps, evaluation: Evaluation) {
  try {
    return evaluate(evaluation)
  } catch (fault) {
    deps.log.error({ error: messageOf(fault) }, 'An evaluation failed.')
    return evaluate({ ...evaluation, facts: {}, decoded: refuse('The action could not be evaluated.') })
  }
}

/** A stored decision, with its approval where it is one that has not run out. */
export function decisionOf(
  { requestHash, wallet, proposedTx }: StoredTransaction,
  { verdict, approvedUntil }: StoredVerdict,
): Decision {
  const approval = isEvmTx(proposedTx)
    ? approve({ requestHash, wallet, tx: proposedTx, verdict, approvedUntil })
    : undefined
  return { requestHash, verdict, approval }
}
