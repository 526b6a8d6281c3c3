import type { Address } from '../lib/address.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import type { ProposedTx } from '../schema/action.ts'
import type { Policy } from '../schema/policy.ts'
import type { Review } from '../schema/review.ts'
import type { Verdict } from '../schema/verdict.ts'
import { actionHashOf } from './action-hash.ts'
import { decodeProposed } from './decode-proposed.ts'
import { evaluate, type Judged } from './evaluate.ts'
import type { Facts } from './facts.ts'

/** A decision as it is stored: the action, the policy of its time, and the verdict with its evidence. */
export type RecordedDecision = Readonly<{
  wallet: Address
  proposedTx: ProposedTx
  policy: Policy | null
  verdict: Verdict
}>

/** What a recorded decision was made of. The action is decoded anew from its bytes. */
export function judgedOf({ wallet, proposedTx, policy, verdict }: RecordedDecision): Judged {
  const { facts, review } = verdict.evidence.observations
  return {
    decoded: decodeProposed(proposedTx, wallet),
    policy: policy === null || verdict.policyVersion === null ? null : { version: verdict.policyVersion, policy },
    facts: (facts ?? {}) as Facts,
    review: (review ?? null) as Review | null,
  }
}

/** Decides a recorded decision again, from its evidence alone. `equal` says whether the same came of it, to the last byte. */
export function replay(recorded: RecordedDecision): Readonly<{ verdict: Verdict; equal: boolean }> {
  const { wallet, proposedTx } = recorded
  const { timestamp, latencyMs } = recorded.verdict
  const verdict = evaluate({
    ...judgedOf(recorded),
    protocol: proposedTx.protocol,
    chainId: proposedTx.chainId,
    wallet,
    actionHash: actionHashOf(proposedTx),
    at: new Date(timestamp),
    latencyMs,
  })
  return { verdict, equal: canonicalJson(verdict) === canonicalJson(recorded.verdict) }
}
