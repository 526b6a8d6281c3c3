import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { portfolioLeverage } from '../../../src/policy/checks/portfolio-leverage.ts'
import { Policy } from '../../../src/schema/policy.ts'
import { decoded, FRIEND, priceOf, swap, transfer, USDC, unavailable, WETH } from '../../support/actions.ts'
import {
  account,
  borrowLeg,
  lending,
  MORPHO,
  positionsOf,
  repayLeg,
  supplyLeg,
  withdrawLeg,
} from '../../support/lending.ts'
import { eachCase, runCheck } from './run-check.ts'

const policy = { leverage: { maxPortfolio: 2 } }
const usdc = (whole: number) => BigInt(Math.round(whole * 1e6))
/** 1,000 US dollars supplied, 200 borrowed. */
const some = account({ amount: usdc(1_000), usd: 1_000 }, { amount: usdc(200), usd: 200 })
const exceeded = { status: 'failed', code: 'leverage_cap_exceeded', field: 'leverage.maxPortfolio' } as const
const missing = { status: 'failed', code: 'data_unavailable', field: 'leverage.maxPortfolio' } as const

describe('portfolio leverage', () => {
  eachCase(portfolioLeverage, [
    { name: 'is nothing to a swap', tx: swap(), policy, expected: { status: 'not_checked', says: 'borrows nothing' } },
    {
      name: 'is nothing to what only lowers it',
      action: lending(supplyLeg({ amount: usdc(10) }), repayLeg({ amount: usdc(10) })),
      policy,
      facts: { positions: unavailable('positions') },
      expected: { status: 'not_checked', says: 'borrows nothing' },
    },
    {
      name: 'is not asked about without a limit',
      action: lending(borrowLeg({ amount: usdc(10) })),
      policy: { leverage: { max: 2 } },
      expected: { status: 'not_checked', says: 'no leverage for the portfolio' },
    },
    {
      name: 'is of nobody else’s account',
      action: lending(borrowLeg({ amount: usdc(10), party: FRIEND })),
      policy,
      expected: { status: 'not_checked', says: 'borrows nothing' },
    },
    {
      name: 'at the limit passes',
      action: lending(borrowLeg({ amount: usdc(300) })),
      policy,
      facts: positionsOf(some),
      expected: {
        status: 'passed',
        says: 'The leverage of the portfolio would be 2 of at most 2: $1,000.00 supplied and $500.00 borrowed.',
      },
    },
    {
      name: 'a millionth of a dollar above it does not',
      action: lending(borrowLeg({ amount: usdc(300.000001) })),
      policy,
      facts: positionsOf(some),
      expected: { ...exceeded, says: /would be 2\.01, above the limit of 2: .*; up to 300 USDC could be borrowed\.$/ },
    },
    {
      name: 'counts what is supplied in the same action',
      action: lending(supplyLeg({ amount: usdc(200) }), borrowLeg({ amount: usdc(400) })),
      policy,
      facts: positionsOf(some),
      expected: { status: 'passed', says: '$1,200.00 supplied and $600.00 borrowed' },
    },
    {
      name: 'counts what is taken out, and says how much could be',
      action: lending(withdrawLeg({ amount: usdc(700) })),
      policy,
      facts: positionsOf(some),
      expected: { ...exceeded, says: 'up to 600 USDC could be taken out' },
    },
    {
      name: 'of everything taken out while something is owed has no end',
      action: lending(withdrawLeg({ amount: null })),
      policy,
      facts: positionsOf(some),
      expected: { ...exceeded, says: 'beyond any number, above the limit of 2' },
    },
    {
      name: 'is none where nothing is borrowed',
      action: lending(withdrawLeg({ amount: usdc(700) })),
      policy: { leverage: { maxPortfolio: 0.5 } },
      facts: positionsOf(account({ amount: usdc(1_000), usd: 1_000 })),
      expected: { status: 'passed', says: 'Nothing would be borrowed' },
    },
    {
      name: 'sums all venues',
      action: lending(borrowLeg({ amount: usdc(300) })),
      policy,
      facts: positionsOf(some, account({ amount: usdc(100), usd: 100 }, { amount: usdc(90), usd: 90 }, MORPHO)),
      expected: { ...exceeded, says: /\$1,100\.00 supplied and \$590\.00 borrowed; up to 260 USDC could/ },
    },
    {
      name: 'does not let a repayment beyond one debt lower another',
      action: lending(repayLeg({ amount: usdc(900) }), borrowLeg({ asset: WETH, amount: 10n ** 17n })),
      policy,
      facts: positionsOf({ ...some, borrowed: { [USDC]: '200000000', [WETH]: '1' }, borrowedMicroUsd: '600000000' }),
      expected: { ...exceeded, says: '$1,000.00 supplied and $700.00 borrowed' },
    },
    {
      name: 'needs the positions',
      action: lending(borrowLeg({ amount: 1n })),
      policy,
      facts: { positions: unavailable('positions') },
      expected: { ...missing, says: 'positions is unavailable' },
    },
    {
      name: 'needs a source of positions at all',
      action: lending(borrowLeg({ amount: 1n })),
      policy,
      facts: { positions: undefined },
      expected: { ...missing, says: 'No source of positions' },
    },
    {
      name: 'needs the account that changes to be among them',
      action: lending(borrowLeg({ amount: 1n })),
      policy,
      facts: positionsOf(account(null, null, MORPHO)),
      expected: { ...missing, says: 'not known' },
    },
    {
      name: 'needs every account to be valued',
      action: lending(borrowLeg({ amount: 1n })),
      policy,
      facts: positionsOf(some, account({ amount: 1n, usd: null }, null, MORPHO)),
      expected: { ...missing, says: 'at morpho cannot be valued' },
    },
    {
      name: 'needs the price of what is borrowed',
      action: lending(borrowLeg({ amount: 1n })),
      policy,
      facts: { ...positionsOf(some), prices: unavailable('usd-price') },
      expected: { ...missing, says: 'cannot be valued' },
    },
  ])

  it('asks for positions only where the policy limits them and the action can raise them', () => {
    const borrow = lending(borrowLeg({ amount: 1n }))
    const needs = (action = borrow, of: object = policy) =>
      portfolioLeverage.needs({ action, policy: Policy.parse(of) })
    assert.deepEqual(needs(), ['tokens', 'prices', 'positions', 'standing'])
    assert.deepEqual(needs(borrow, {}), [])
    assert.deepEqual(needs(lending(supplyLeg({ amount: 1n }))), [])
    assert.deepEqual(needs(decoded(transfer(USDC, FRIEND, 1n))), [])
  })

  it('the amount that it names passes, and one unit more does not', () => {
    const property = fc.property(
      fc.bigInt(10n ** 6n, 10n ** 12n),
      fc.integer({ min: 101, max: 900 }),
      fc.integer({ min: 1, max: 10 ** 9 }),
      (supplied, max, priceE4) => {
        const before = positionsOf(account({ amount: supplied, usd: Number(supplied) / 1e6 }))
        const prices = {
          prices: {
            status: 'fresh' as const,
            source: 'usd-price',
            observedAt: '2026-11-21T00:00:00.000Z',
            value: { [USDC]: priceOf(priceE4 / 10_000) },
          },
        }
        const run = (amount: bigint) =>
          runCheck(portfolioLeverage, {
            action: lending(borrowLeg({ amount })),
            policy: { leverage: { maxPortfolio: max / 100 } },
            facts: { ...before, ...prices },
          })[0]
        const named = /up to ([\d,.]+) USDC/.exec(run(10n ** 30n)?.humanReason ?? '')?.[1]
        fc.pre(named !== undefined)
        const most = BigInt(Math.round(Number(named?.replaceAll(',', '')) * 1e6))
        assert.equal(run(most)?.status, 'passed', named)
        assert.equal(run(most + 1n + (10n ** 6n * 10_000n) / (BigInt(priceE4) * 10n ** 6n))?.status, 'failed', named)
      },
    )
    fc.assert(property, { seed: 4, numRuns: 200 })
  })
})
