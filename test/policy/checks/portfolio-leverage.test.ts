import { describe } from 'node:test'
import { portfolioLeverage } from '../../../src/policy/checks/portfolio-leverage.ts'
import { swap } from '../../support/actions.ts'
import { eachCase } from './run-check.ts'

const policy = { leverage: { maxPortfolio: 1 } }

describe('portfolio_leverage', () => {
  eachCase(portfolioLeverage, [
    {
      name: 'a swap borrows nothing',
      tx: swap(),
      policy,
      expected: { status: 'not_checked', says: 'borrows nothing' },
    },
  ])
})
