import { formatUsd, type MicroUsd } from '../../lib/usd.ts'
import { ownChanges, projectAccounts } from '../account.ts'
import { defineCheck, type Input, type Outcome } from '../check.ts'
import { whyAnyMissing } from '../facts.ts'
import { raisesLeverage, tooHigh } from '../leverage.ts'
import { marginAccount, raisesRisk, usesMargin } from '../margin.ts'

/** Projected leverage of all accounts that venues keep for the wallet must stay within the policy. */
export const portfolioLeverage = defineCheck({
  id: 'portfolio_leverage',
  field: 'leverage.maxPortfolio',
  needs({ action, policy }) {
    if (policy.leverage?.maxPortfolio === undefined) return []
    return [
      ...(raisesRisk(action) ? (['markets', 'margin', 'standing'] as const) : []),
      ...(ownChanges(action).some(raisesLeverage) ? (['tokens', 'prices', 'positions', 'standing'] as const) : []),
    ]
  },
  run(input) {
    const { action, policy, facts } = input
    const atVenue = usesMargin(action) ? overMargin(input) : undefined
    if (atVenue && ('failed' in atVenue || 'unavailable' in atVenue)) return atVenue
    if (!ownChanges(action).some(raisesLeverage)) return atVenue ?? { notChecked: 'It borrows nothing.' }
    const limit = policy.leverage?.maxPortfolio
    if (limit === undefined) return { notChecked: 'The policy sets no leverage for the portfolio.' }
    const accounts = projectAccounts(action, facts, 'down')
    if (!accounts)
      return {
        unavailable: `What the wallet has and owes at venues is not known. ${whyAnyMissing(['standing', 'positions'], facts)}`,
      }
    const outcome = tooHigh(input, accounts, limit, 'The leverage of the portfolio')
    return 'reason' in outcome ? { failed: 'leverage_cap_exceeded', ...outcome } : outcome
  },
})

function inPositions(positions: MicroUsd, uncovered: MicroUsd): string {
  return `${formatUsd(positions)} in positions, ${formatUsd(positions - uncovered)} behind them`
}

/** Over the account of the venue that takes the orders: what it would hold with all orders filled, over what is its own. */
function overMargin(input: Input): Outcome<'portfolio_leverage'> {
  const { action, policy, facts } = input
  if (!raisesRisk(action)) return { notChecked: 'It opens no position and takes out no margin.' }
  const limit = policy.leverage?.maxPortfolio
  if (limit === undefined) return { notChecked: 'The policy sets no leverage for the portfolio.' }
  const account = marginAccount(action, facts)
  if (!account) {
    const why = whyAnyMissing(['standing', 'margin', 'markets'], facts)
    return { unavailable: `The account that trades is not known. ${why}` }
  }
  const outcome = tooHigh(input, [account], limit, `The leverage at ${account.protocol}`, inPositions)
  return 'reason' in outcome ? { failed: 'leverage_cap_exceeded', ...outcome } : outcome
}
