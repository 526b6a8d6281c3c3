import { formatUsd, formatUsdExactly, toMicroUsd } from '../../lib/usd.ts'
import { defineCheck } from '../check.ts'
import { mostAllowed } from '../counterfactual.ts'
import { whyUnvalued } from '../facts.ts'
import { factsToValue } from '../valuation.ts'

/** One action may not move more than the policy's cap in US dollars. */
export const perTxCap = defineCheck({
  id: 'per_tx_cap',
  field: 'caps.perTxUsd',
  needs: ({ action, policy }) => (policy.caps?.perTxUsd === undefined ? [] : factsToValue(action)),
  run(input) {
    const { policy, valuation, facts } = input
    if (policy.caps?.perTxUsd === undefined) return { notChecked: 'The policy sets no cap per transaction.' }
    if (valuation.notional === null) return { notChecked: 'It moves no value.' }
    if (valuation.notional === undefined)
      return { unavailable: `Its value in US dollars is not known. ${whyUnvalued(facts)}` }
    const cap = toMicroUsd(policy.caps.perTxUsd)
    if (valuation.notional <= cap)
      return { passed: `${formatUsd(valuation.notional)} is within the cap of ${formatUsd(cap)}.` }
    const text = formatUsd(valuation.notional) === formatUsd(cap) ? formatUsdExactly : formatUsd
    return {
      failed: 'per_tx_cap_exceeded',
      reason: `${text(valuation.notional)} is above the cap of ${text(cap)} per transaction${mostAllowed(input, cap)}.`,
    }
  },
})
