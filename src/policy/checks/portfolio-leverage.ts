import { ownChanges, projectAccounts } from '../account.ts'
import { defineCheck } from '../check.ts'
import { whyMissing } from '../facts.ts'
import { raisesLeverage, tooHigh } from '../leverage.ts'

/** Projected leverage of all accounts that venues keep for the wallet must stay within the policy. */
export const portfolioLeverage = defineCheck({
  id: 'portfolio_leverage',
  field: 'leverage.maxPortfolio',
  needs: ({ action, policy }) =>
    policy.leverage?.maxPortfolio !== undefined && ownChanges(action).some(raisesLeverage)
      ? ['tokens', 'prices', 'positions']
      : [],
  run(input) {
    const { action, policy, facts } = input
    if (!ownChanges(action).some(raisesLeverage)) return { notChecked: 'It borrows nothing.' }
    const limit = policy.leverage?.maxPortfolio
    if (limit === undefined) return { notChecked: 'The policy sets no leverage for the portfolio.' }
    const accounts = projectAccounts(action, facts, 'down')
    if (!accounts)
      return { unavailable: `What the wallet has and owes at venues is not known. ${whyMissing('positions', facts)}` }
    const outcome = tooHigh(input, accounts, limit, 'The leverage of the portfolio')
    return 'reason' in outcome ? { failed: 'leverage_cap_exceeded', ...outcome } : outcome
  },
})
