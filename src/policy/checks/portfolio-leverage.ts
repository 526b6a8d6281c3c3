import { defineCheck } from '../check.ts'

/** Projected leverage of the whole portfolio must stay within the policy. Transfers and swaps borrow nothing. */
export const portfolioLeverage = defineCheck({
  id: 'portfolio_leverage',
  field: 'leverage.maxPortfolio',
  run: () => ({ notChecked: 'It borrows nothing.' }),
})
