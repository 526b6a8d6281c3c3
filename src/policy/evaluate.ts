import type { Address } from '../lib/address.ts'
import { CountersignError } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import type { Result } from '../lib/result.ts'
import { toDollars } from '../lib/usd.ts'
import { CHECK_IDS, type CheckId, type CheckResult } from '../schema/check.ts'
import type { Policy } from '../schema/policy.ts'
import type { Review } from '../schema/review.ts'
import { type ReasonCode, type Verdict, verdictFaults } from '../schema/verdict.ts'
import type { Check, Subject } from './check.ts'
import { checks } from './checks/index.ts'
import type { DecodedAction } from './decoded-action.ts'
import { describe } from './describe.ts'
import { evidenceOf, freshnessOf, trustOf } from './evidence.ts'
import { type FactName, type Facts, known } from './facts.ts'
import { unknownMarket } from './order.ts'
import { awaitsPerson, REVIEW_FIELD, withRefusal } from './person.ts'
import { factsToProject } from './projection.ts'
import { assetsOf } from './source.ts'
import { factsToValue, type Valuation, valueAction } from './valuation.ts'

/** Everything that a verdict depends on. */
export type Evaluation = Readonly<{
  /** The action as its caller named it, and the hash that an approval will be bound to. */
  protocol: string
  chainId: number
  wallet: Address
  actionHash: Hex
  decoded: Result<DecodedAction>
  /** The wallet's policy, or null where it has none. */
  policy: Readonly<{ version: number; policy: Policy }> | null
  facts: Facts
  /** What a person said, where the policy holds the action for one. */
  review: Review | null
  at: Date
  latencyMs: number
}>

const ordered: readonly Check[] = CHECK_IDS.map((id) => (checks satisfies Record<CheckId, Check>)[id])

/** Facts that a verdict on this subject needs: each check's own, and what every action is described and valued by. */
export function factsNeeded(subject: Subject): readonly FactName[] {
  const { action } = subject
  const needed = ordered.flatMap((check) => check.needs(subject))
  return [...new Set<FactName>([...factsToValue(action), ...factsToProject(action), ...needed])]
}

/** The part of an evaluation that the decision depends on. */
export type Judged = Pick<Evaluation, 'decoded' | 'policy' | 'facts' | 'review'>

/** What is decided before it is written out as a verdict. Amounts in micro-USD; `understood` is missing where nothing was. */
export type Judgement = Reason &
  Readonly<{
    checks: readonly CheckResult[]
    understood: Readonly<{ action: DecodedAction; valuation: Valuation }> | undefined
  }>

/** Decides one action. Pure: the same evaluation always gives the same verdict, so a stored one can be decided again. */
export function evaluate(evaluation: Evaluation): Verdict {
  const { understood, ...decision } = judge(evaluation)
  return verdict(evaluation, decision, understood)
}

/** What `evaluate` decides, without the verdict's evidence: a tenth of its work. */
export function judge({ decoded, policy, facts, review }: Judged): Judgement {
  if (!decoded.ok) return undecided('decode_failure', `The action could not be decoded. ${decoded.reason}`)
  if (!policy) return undecided('data_unavailable', 'The wallet has no policy; nothing is approved without one.')
  const action = decoded.value
  const subject = { action, policy: policy.policy }
  const valuation = valueAction(action, facts)
  const input = { ...subject, facts, valuation }
  const checked = ordered.flatMap((check) => check.run(input))
  const results = review ? withRefusal(checked, review) : checked
  const reason = reasonOf(results, subject, facts, valuation, review)
  return { ...reason, checks: results, understood: { action, valuation } }
}

type Reason = Readonly<{
  outcome: Verdict['outcome']
  reasonCode: ReasonCode
  humanReason: string
  triggeringPolicyField: string | null
}>

/**
 * The first violation in the checks' order gives the reason; without one, a token that nobody knows; then the first
 * fact that could not be had, which a caller may retry (contract section 6).
 */
function reasonOf(
  results: readonly CheckResult[],
  { action, policy }: Subject,
  facts: Facts,
  valuation: Valuation,
  review: Review | null,
): Reason {
  const failed = results.filter(({ status }) => status === 'failed')
  const violation = failed.find(({ code }) => code !== 'data_unavailable')
  if (violation?.code) return rejected(violation.code, violation.humanReason, violation.triggeringPolicyField)
  const tokens = known(facts.tokens)
  const unknown = assetsOf(action).filter((asset) => tokens && !tokens[asset])
  if (unknown.length > 0)
    return rejected(
      'asset_identity_unresolved',
      `No list and no answer on chain says what ${unknown.join(', ')} is.`,
      null,
    )
  const market = unknownMarket(action, facts)
  if (market !== undefined)
    return rejected(
      'asset_identity_unresolved',
      `${action.protocol} has no market ${market}${action.target === null ? '' : ` at ${action.target}`}.`,
      null,
    )
  const missing = failed[0]
  if (missing) return rejected('data_unavailable', missing.humanReason, missing.triggeringPolicyField)
  if (!tokens && assetsOf(action).length > 0)
    return rejected('data_unavailable', 'What the assets of this action are could not be read.', null)
  const held = review ? undefined : awaitsPerson(policy, valuation)
  if (held !== undefined)
    return { outcome: 'pending', reasonCode: 'pending', humanReason: held, triggeringPolicyField: REVIEW_FIELD }
  return {
    outcome: 'approved',
    reasonCode: 'allowed',
    humanReason: describe(action, facts, valuation),
    triggeringPolicyField: null,
  }
}

function rejected(reasonCode: ReasonCode, humanReason: string, triggeringPolicyField: string | null): Reason {
  return { outcome: 'rejected', reasonCode, humanReason, triggeringPolicyField }
}

/** A rejection before any check could run. */
function undecided(reasonCode: ReasonCode, humanReason: string): Judgement {
  const results = CHECK_IDS.map((checkId) => ({
    checkId,
    status: 'not_checked' as const,
    code: null,
    humanReason: 'Not reached.',
    triggeringPolicyField: null,
  }))
  return { ...rejected(reasonCode, humanReason, null), checks: results, understood: undefined }
}

function verdict(
  { protocol, chainId, wallet, actionHash, policy, facts, review, at, latencyMs }: Evaluation,
  decision: Reason & Readonly<{ checks: readonly CheckResult[] }>,
  understood: Judgement['understood'],
): Verdict {
  const dataFreshness = freshnessOf(facts)
  const trailingBytes = understood?.action.trailingBytes ?? 0
  const observations = {
    actionHash,
    wallet,
    facts: facts as Record<string, never>,
    ...(review && { review }),
    ...(trailingBytes > 0 && { trailingBytes }),
  }
  const notional = understood?.valuation.notional
  const faults = verdictFaults(decision)
  // The types say the rest. Whoever decides turns what is thrown here into a rejection.
  if (faults.length > 0) throw new CountersignError('internal', `A verdict would break a rule: ${faults.join('; ')}.`)
  return {
    schemaVersion: 1,
    ...decision,
    evidence: understood
      ? evidenceOf(understood.action, observations, dataFreshness.sources, facts)
      : { decodedAction: { protocol, chainId }, observations, sources: dataFreshness.sources },
    policyVersion: policy?.version ?? null,
    latencyMs,
    dataFreshness,
    trust: trustOf(dataFreshness, facts),
    redaction: { redacted: false, fields: [] },
    usdNotional: typeof notional === 'bigint' ? toDollars(notional) : null,
    timestamp: at.toISOString(),
  }
}
