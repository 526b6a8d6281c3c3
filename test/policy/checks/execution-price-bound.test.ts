import { describe } from 'node:test'
import { executionPriceBound } from '../../../src/policy/checks/execution-price-bound.ts'
import { permitAndSwap, swap, UNIVERSAL_ROUTER } from '../../support/actions.ts'
import { eachCase } from './run-check.ts'

const policy = { priceBound: { maxDeviationBps: 0 } }

describe('execution_price_bound', () => {
  eachCase(executionPriceBound, [
    { name: 'a swap is no order', tx: swap(), policy, expected: { status: 'not_checked', says: 'no venue order' } },
    {
      name: 'nor is any leg of one',
      tx: permitAndSwap(UNIVERSAL_ROUTER),
      policy,
      expected: [
        { status: 'not_checked', says: 'no venue order' },
        { status: 'not_checked', says: 'no venue order' },
      ],
    },
  ])
})
