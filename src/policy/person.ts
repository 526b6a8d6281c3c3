import { formatUsd, toMicroUsd } from '../lib/usd.ts'
import type { CheckResult } from '../schema/check.ts'
import type { Policy } from '../schema/policy.ts'
import type { Review } from '../schema/review.ts'
import type { Valuation } from './valuation.ts'

/** The policy field that holds actions for a person. */
export const REVIEW_FIELD = 'review.aboveUsd'

/** Why an action waits for a person: its value is above the policy's limit, or not known. Undefined where none is awaited. */
export function awaitsPerson(policy: Policy, { notional }: Valuation): string | undefined {
  if (!policy.review || notional === null) return undefined
  const limit = toMicroUsd(policy.review.aboveUsd)
  if (notional !== undefined && notional <= limit) return undefined
  return `Held for a person: the policy asks for a review above ${formatUsd(limit)}.`
}

/**
 * The results with a person's refusal among them. Above the policy's review limit an action needs a person's consent;
 * without it the limit stands, so the refusal is one of the cap per transaction.
 */
export function withRefusal(results: readonly CheckResult[], { decision, analysis }: Review): readonly CheckResult[] {
  if (decision !== 'REJECTED') return results
  return results.map((result) =>
    result.checkId === 'per_tx_cap' && result.status !== 'failed'
      ? {
          ...result,
          status: 'failed',
          code: 'per_tx_cap_exceeded',
          humanReason: `A person refused it: ${analysis}`,
          triggeringPolicyField: REVIEW_FIELD,
        }
      : result,
  )
}
