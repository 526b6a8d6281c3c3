import { formatUsd, formatUsdExactly, type MicroUsd, toMicroUsd } from '../../lib/usd.ts'
import { defineCheck, type Input, type Outcome } from '../check.ts'
import { mostAllowed } from '../counterfactual.ts'
import { known, whyMissing, whyUnvalued } from '../facts.ts'
import { factsToValue } from '../valuation.ts'

/** More than this in 24 hours cannot be counted, whatever the policy allows: nine trillion US dollars. */
const COUNTABLE: MicroUsd = 2n ** 63n - 1n

/** What left or is held in the last 24 hours, and this action, must stay within the policy's limit. */
export const outflow24h = defineCheck({
  id: 'outflow_24h',
  field: 'caps.outflow24hUsd',
  needs: ({ action, policy }) =>
    policy.caps?.outflow24hUsd === undefined ? [] : [...factsToValue(action), 'outflow24h'],
  run(input) {
    const { policy, valuation, facts } = input
    const before = known(facts.outflow24h)
    const used = before && BigInt(before.microUsd)
    const limit = policy.caps?.outflow24hUsd
    if (valuation.outflow !== undefined && valuation.outflow + (used ?? 0n) > COUNTABLE)
      return exceeded(input, used ?? 0n, COUNTABLE)
    if (limit === undefined) return { notChecked: 'The policy sets no 24-hour limit.' }
    if (valuation.notional === null) return { notChecked: 'It moves no value.' }
    if (valuation.outflow === undefined)
      return { unavailable: `Its value in US dollars is not known. ${whyUnvalued(facts)}` }
    if (used === undefined)
      return { unavailable: `The outflow of the last 24 hours is not known. ${whyMissing('outflow24h', facts)}` }
    const total = used + valuation.outflow
    if (total > toMicroUsd(limit)) return exceeded(input, used, toMicroUsd(limit))
    return { passed: `${formatUsd(total)} of ${formatUsd(toMicroUsd(limit))} in 24 hours, this included.` }
  },
})

function exceeded(input: Input, used: MicroUsd, limit: MicroUsd): Outcome<'outflow_24h'> {
  const outflow = input.valuation.outflow ?? 0n
  const text = formatUsd(used + outflow) === formatUsd(limit) ? formatUsdExactly : formatUsd
  const most = mostAllowed(input, limit > used ? limit - used : 0n)
  return {
    failed: 'outflow_24h_exceeded',
    reason: `${text(outflow)} on top of ${text(used)} in the last 24 hours is above the limit of ${text(limit)}${most}.`,
    ...(limit === COUNTABLE && { field: null }),
  }
}
