import type { CheckId, CheckResult, ViolationCode } from '../schema/check.ts'
import type { Policy } from '../schema/policy.ts'
import type { DecodedAction, Leg } from './decoded-action.ts'
import type { FactName, Facts } from './facts.ts'
import type { Valuation } from './valuation.ts'

/** What is decided: the action as decoded, and the policy of the wallet. */
export type Subject = Readonly<{ action: DecodedAction; policy: Policy }>

/** What a check sees: the subject, the facts that were had, and what the action is worth by them. */
export type Input = Subject & Readonly<{ facts: Facts; valuation: Valuation }>

/** What a check says. `field` overrides the check's own policy path where a finer one is meant. */
export type Outcome<id extends CheckId = CheckId> =
  | Readonly<{ passed: string }>
  | Readonly<{ failed: ViolationCode<id>; reason: string; field?: string | null }>
  | Readonly<{ unavailable: string; field?: string | null }>
  | Readonly<{ notChecked: string }>

type Spec<id extends CheckId> = Readonly<{
  id: id
  /** Dotted path of the policy field a failure points at; null for what is always on. */
  field: string | null
  /** Facts it needs when it applies to the subject. Asked for once for all checks. */
  needs?: (subject: Subject) => readonly FactName[]
}>

/** A check with its types closed over: the engine sees all checks alike. */
export type Check = Readonly<{
  id: CheckId
  needs(subject: Subject): readonly FactName[]
  /** Pure: no clock, no network, no storage. One result, or one a leg. */
  run(input: Input): readonly CheckResult[]
}>

/** Declares a check over the whole action. */
export function defineCheck<const id extends CheckId>(
  spec: Spec<id> & Readonly<{ run(input: Input): Outcome<id> }>,
): Check {
  return {
    id: spec.id,
    needs: spec.needs ?? (() => []),
    run: (input) => [result(spec, spec.run(input))],
  }
}

/** Declares a check over each leg of an action. Where there are several legs, each result names its own. */
export function defineLegCheck<const id extends CheckId>(
  spec: Spec<id> & Readonly<{ run(leg: Leg, input: Input): Outcome<id> }>,
): Check {
  return {
    id: spec.id,
    needs: spec.needs ?? (() => []),
    run(input) {
      const { legs } = input.action
      if (legs.length === 1) return [result(spec, spec.run(legs[0], input))]
      return legs.map((leg, legIndex) => ({ ...result(spec, spec.run(leg, input)), legIndex }))
    },
  }
}

function result<id extends CheckId>(spec: Spec<id>, outcome: Outcome<id>): CheckResult {
  const base = { checkId: spec.id, code: null, triggeringPolicyField: null }
  if ('passed' in outcome) return { ...base, status: 'passed', humanReason: outcome.passed }
  if ('notChecked' in outcome) return { ...base, status: 'not_checked', humanReason: outcome.notChecked }
  const triggeringPolicyField = outcome.field === undefined ? spec.field : outcome.field
  const [code, humanReason] =
    'unavailable' in outcome
      ? (['data_unavailable', outcome.unavailable] as const)
      : ([outcome.failed, outcome.reason] as const)
  return { ...base, status: 'failed', code, humanReason, triggeringPolicyField }
}
