import type { Address } from '../lib/address.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import { type Result, refuse } from '../lib/result.ts'
import type { Review } from '../schema/review.ts'
import type { Verdict } from '../schema/verdict.ts'
import type { NewVerdict, PolicyVersion, StoredTransaction, StoredVerdict, Stores } from '../storage/index.ts'
import type { DecodedAction } from './decoded-action.ts'
import { type Evaluation, evaluate } from './evaluate.ts'
import type { Fact, Facts } from './facts.ts'
import type { PolicyDeps } from './operation.ts'
import { receiptOf } from './receipt.ts'
import { isDecidedByStanding, type StandingApproval, standingFact } from './standing.ts'
import { standingApprovals } from './standing-approvals.ts'
import { valueAction } from './valuation.ts'

const DAY_MS = 86_400_000

/** A submission with everything that its verdict depends on, beside the ledger. */
export type Undecided = Readonly<{
  transaction: StoredTransaction
  decoded: Result<DecodedAction>
  policy: PolicyVersion | null
  facts: Facts
  review: Review | null
  /** Whether this process stored it just now, so that nobody else decided it yet. */
  isNew: boolean
  /** When its decision began, by `performance.now()`. */
  started: number
}>

/** What came of one: its verdict, which may have been there before; or why it has none yet. */
export type Stored = StoredVerdict | 'policy changed' | CountersignError

type Made = Readonly<{
  undecided: Undecided
  draft: NewVerdict
  outflow: bigint | null
  approval: StandingApproval | undefined
}>

/**
 * Decides submissions of one wallet, in their order, in one database transaction: each by what those before it hold. The
 * wallet's lock is the first statement: a sum that was read before it would be older than it.
 */
export async function storeDecisions(deps: PolicyDeps, batch: readonly Undecided[]): Promise<readonly Stored[]> {
  const [first] = batch
  if (first === undefined) return []
  const { wallet } = first.transaction
  const stored = await deps.storage.transaction(async (stores) => {
    const { now, policyVersion, outflow: before } = await stores.holds.standing(wallet, DAY_MS)
    // One that was submitted just now has no verdict; should it have one all the same, it cannot get a second.
    const known = batch.filter(({ isNew }) => !isNew).map(({ transaction }) => transaction.requestHash)
    const earlier = await stores.verdicts.byRequestHashes(known)
    const standing = [...(await approvedBefore(stores, batch, now))]
    const ledger = { outflow: before }
    const results = new Map<Undecided, Stored | Made>()
    for (const undecided of batch) {
      const made = makeOne(deps, undecided, { earlier, policyVersion, now, outflow: ledger.outflow, standing })
      if (isMade(made)) ledger.outflow += made.outflow ?? 0n
      if (isMade(made) && made.approval) standing.push(made.approval)
      results.set(undecided, made)
    }
    const kept = await keep(stores, { wallet, now }, [...results.values()].filter(isMade))
    return batch.map((undecided) => {
      const result = results.get(undecided)
      return result === undefined || isMade(result) ? kept.get(undecided) : result
    })
  })
  for (const one of stored) if (one && typeof one === 'object' && 'verdict' in one) deps.observe?.(one.verdict)
  deps.storage.notify(batch.map(({ transaction }) => transaction.requestHash))
  return stored.map((one) => one ?? new CountersignError('internal', 'A verdict that was stored is gone.'))
}

function isMade(result: Stored | Made): result is Made {
  return typeof result === 'object' && 'draft' in result
}

type Ledger = Readonly<{
  earlier: ReadonlyMap<Hex, StoredVerdict>
  /** The current one; null where there is none. */
  policyVersion: number | null
  /** Milliseconds of the database's clock. */
  now: number
  outflow: bigint
  standing: readonly StandingApproval[]
}>

function makeOne(
  deps: PolicyDeps,
  undecided: Undecided,
  { earlier, policyVersion, now, outflow, standing }: Ledger,
): Stored | Made {
  const { transaction, decoded, policy, review } = undecided
  const { requestHash, wallet, actionHash, chainId } = transaction
  const before = earlier.get(requestHash)
  if (before && !(review && before.verdict.outcome === 'pending')) return before
  if (policyVersion !== (policy?.version ?? null)) return 'policy changed'

  const facts = {
    ...undecided.facts,
    outflow24h: outflowFact(outflow, now),
    ...(decoded.ok && asksForStanding(undecided) && standingFact(decoded.value, standing, new Date(now).toISOString())),
  }
  const verdict = verdictOn(deps, undecided, facts, now)
  if (review && verdict.reasonCode === 'data_unavailable')
    return new CountersignError('unavailable', `It cannot be decided now, and stays held. ${verdict.humanReason}`)
  const ttl = policy?.policy.approvalTtlSeconds ?? deps.approvalTtlSeconds
  const approvedUntil = verdict.outcome === 'approved' ? now + ttl * 1000 : null
  const decided = { requestHash, actionHash, wallet, chainId, verdict, approvedUntil }
  const receipt = verdict.outcome === 'pending' ? null : deps.attestor.sign(receiptOf(decided))
  const draft = { requestHash, verdict, approvedUntil, receipt }
  if (approvedUntil === null || !decoded.ok) return { undecided, draft, outflow: null, approval: undefined }
  const approval = { decoded, facts }
  return { undecided, draft, outflow: valueAction(decoded.value, facts).outflow ?? 0n, approval }
}

function asksForStanding({ decoded, policy }: Undecided): boolean {
  return decoded.ok && policy !== null && isDecidedByStanding({ action: decoded.value, policy: policy.policy })
}

/** What is approved already, where anything of the batch is decided by that. */
async function approvedBefore(
  stores: Stores,
  batch: readonly Undecided[],
  now: number,
): Promise<readonly StandingApproval[]> {
  const asking = batch.filter(asksForStanding)
  const [first] = asking
  if (first === undefined) return []
  const age = performance.now() - Math.min(...asking.map(({ started }) => started))
  return standingApprovals(stores, first.transaction.wallet, now - age)
}

function verdictOn(deps: PolicyDeps, undecided: Undecided, facts: Facts, now: number): Verdict {
  const { transaction, decoded, policy, review, started } = undecided
  const { wallet, actionHash, proposedTx } = transaction
  return evaluateSafely(deps, {
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
}

/** Verdicts, where they lead, what they hold, and the rows of the audit log. */
async function keep(
  stores: Stores,
  { wallet, now }: Readonly<{ wallet: Address; now: number }>,
  made: readonly Made[],
): Promise<ReadonlyMap<Undecided, StoredVerdict>> {
  if (made.length === 0) return new Map()
  // The log first: then all that is written goes to the database together.
  const head = await stores.audit.head()
  await stores.verdicts.insertAll(
    made.map(({ draft }) => draft),
    now,
  )
  const led = (outcome: Verdict['outcome']) =>
    made.filter(({ draft }) => draft.verdict.outcome === outcome).map(({ draft }) => draft.requestHash)
  await stores.undecided.decide(led('approved'), 'APPROVED')
  await stores.undecided.decide(led('rejected'), 'REJECTED')
  await stores.undecided.decide(led('pending'), 'PENDING')
  await stores.holds.takeAll(
    made.flatMap(({ draft: { requestHash, approvedUntil }, outflow }) =>
      outflow === null || approvedUntil === null
        ? []
        : [{ requestHash, wallet, microUsd: outflow, expiresAt: approvedUntil }],
    ),
  )
  await stores.audit.appendTo(head, made.flatMap(auditOf))
  return new Map(made.map(({ undecided, draft }) => [undecided, { ...draft, createdAt: now }]))
}

function auditOf({ undecided: { transaction, review }, draft: { verdict, receipt } }: Made) {
  const { requestHash: subject, actionHash } = transaction
  const { outcome, reasonCode, policyVersion } = verdict
  const signature = receipt && receipt.signature
  const row = {
    kind: 'verdict',
    subject,
    payload: { outcome, reasonCode, policyVersion, actionHash, receipt: signature },
  }
  return review ? [{ kind: 'review', subject, payload: review }, row] : [row]
}

function outflowFact(microUsd: bigint, now: number): Fact<{ microUsd: string }> {
  const observedAt = new Date(now).toISOString()
  return { status: 'fresh', source: 'ledger', observedAt, value: { microUsd: microUsd.toString() } }
}

/** Whatever is thrown while deciding becomes a rejection that is stored, never a way past it. */
function evaluateSafely(deps: PolicyDeps, evaluation: Evaluation): Verdict {
  try {
    return evaluate(evaluation)
  } catch (fault) {
    deps.log.error({ error: messageOf(fault) }, 'An evaluation failed.')
    return evaluate({ ...evaluation, facts: {}, decoded: refuse('The action could not be evaluated.') })
  }
}
