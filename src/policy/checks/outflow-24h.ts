import { formatUsd, toMicroUsd } from '../../lib/usd.ts'
import { defineCheck } from '../check.ts'
import { mostAllowed } from '../counterfactual.ts'
import { known, whyMissing } from '../facts.ts'

/** What left or is held in the last 24 hours, and this action, must stay within the policy's limit. */
export const outflow24h = defineCheck({
  id: 'outflow_24h',
  field: 'caps.outflow24hUsd',
  needs: ({ policy }) => (policy.caps?.outflow24hUsd === undefined ? [] : ['tokens', 'prices', 'outflow24h']),
  run(input) {
    const { policy, valuation, facts } = input
    if (policy.caps?.outflow24hUsd === undefined) return { notChecked: 'The policy sets no 24-hour limit.' }
    if (valuation.notional === null) return { notChecked: 'It moves no value.' }
    if (valuation.outflow === undefined)
      return { unavailable: `Its value in US dollars is not known. ${whyMissing('prices', facts)}` }
    const before = known(facts.outflow24h)
    if (!before)
      return { unavailable: `The outflow of the last 24 hours is not known. ${whyMissing('outflow24h', facts)}` }
    const limit = toMicroUsd(policy.caps.outflow24hUsd)
    const used = BigInt(before.microUsd)
    if (used + valuation.outflow <= limit)
      return { passed: `${formatUsd(used + valuation.outflow)} of ${formatUsd(limit)} in 24 hours, this included.` }
    return {
      failed: 'outflow_24h_exceeded',
      reason: `${formatUsd(valuation.outflow)} on top of ${formatUsd(used)} in the last 24 hours is above the limit of ${formatUsd(limit)}${mostAllowed(input, limit > used ? limit - used : 0n)}.`,
    }
  },
})
