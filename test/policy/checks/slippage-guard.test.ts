import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { slippageGuard } from '../../../src/policy/checks/slippage-guard.ts'
import {
  addressOf,
  buyWeth,
  DAI,
  FRIEND,
  OBSERVED_AT,
  permitAndSwap,
  priceOf,
  swap,
  transfer,
  UNIVERSAL_ROUTER,
  USDC,
  unavailable,
  WETH,
} from '../../support/actions.ts'
import { eachCase, runCheck } from './run-check.ts'

const code = 'no_slippage_guard'
const field = 'slippage.maxBps'
const max = (maxBps: number) => ({ slippage: { maxBps } })
/** 100 US dollars buy 0.0333… WETH. */
const weth = (tenThousandths: bigint) => tenThousandths * 10n ** 14n
const prices = (value: Record<string, ReturnType<typeof priceOf> | null>) => ({
  prices: { status: 'fresh', source: 'usd-price', observedAt: OBSERVED_AT, value } as const,
})

describe('slippage_guard', () => {
  eachCase(slippageGuard, [
    {
      name: 'no swap',
      tx: transfer(USDC, FRIEND, 1n),
      policy: max(0),
      expected: { status: 'not_checked', says: 'no swap' },
    },
    {
      name: 'a minimum within the policy: names both values',
      tx: swap({ minOut: weth(331n) }),
      policy: max(100),
      expected: { status: 'passed', says: 'At least $99.30 comes back for at most $100.00.' },
    },
    {
      name: 'a minimum below the policy: names both values, the limit and what would pass',
      tx: swap({ minOut: weth(320n) }),
      policy: max(100),
      expected: {
        status: 'failed',
        code,
        field,
        says: 'The minimum output is worth $96.00 for $100.00 paid, 1 % below the price being the most allowed; it needs a minimum output of at least 0.033 WETH.',
      },
    },
    {
      name: 'exactly at the limit',
      tx: swap({ minOut: weth(330n) }),
      policy: max(100),
      expected: { status: 'passed', says: '$99.00' },
    },
    {
      name: 'a millionth of a dollar below the limit: rounded against the caller',
      tx: swap({ minOut: weth(330n) - 1n }),
      policy: max(100),
      expected: { status: 'failed', code, field, says: 'at least 0.033 WETH' },
    },
    {
      name: 'no minimum, whatever the policy: names what would pass, and no field',
      tx: swap({ minOut: 0n }),
      policy: max(10_000),
      expected: {
        status: 'failed',
        code,
        says: /^The swap sets no minimum output; it needs a minimum output of at least 0 WETH\.$/,
      },
    },
    {
      name: 'no minimum without a policy of slippage',
      tx: swap({ minOut: 0n }),
      expected: { status: 'failed', code, says: 'at least 0.016666666666666667 WETH' },
    },
    {
      name: 'dust as a minimum without a policy of slippage',
      tx: swap({ minOut: 1n }),
      expected: { status: 'failed', code, says: 'worth $0.00 for $100.00 paid, 50 % below' },
    },
    {
      name: 'half without a policy of slippage',
      tx: swap({ minOut: weth(167n) }),
      expected: { status: 'passed', says: '$50.10' },
    },
    {
      name: 'no maximum of what is paid',
      tx: buyWeth(weth(331n), (1n << 256n) - 1n),
      policy: max(100),
      expected: { status: 'failed', code, says: 'sets no limit on what it may spend' },
    },
    {
      name: 'a maximum of what is paid that is too high',
      tx: buyWeth(weth(331n), 200_000_000n),
      policy: max(100),
      expected: { status: 'failed', code, field, says: '$99.30 for $200.00 paid' },
    },
    {
      name: 'a price that is known not to exist, with a minimum',
      tx: swap(),
      policy: max(100),
      facts: prices({ [USDC]: priceOf(1), [WETH]: null }),
      expected: { status: 'passed', says: 'no price is known to compare it with' },
    },
    {
      name: 'a price that is known not to exist, without a minimum',
      tx: swap({ minOut: 0n }),
      policy: max(100),
      facts: prices({ [USDC]: priceOf(1), [WETH]: null }),
      expected: { status: 'failed', code, says: /^The swap sets no minimum output\.$/ },
    },
    {
      name: 'prices that could not be had',
      tx: swap(),
      policy: max(100),
      facts: { prices: unavailable('usd-price') },
      expected: {
        status: 'failed',
        code: 'data_unavailable',
        field,
        says: 'usd-price is unavailable: There was no answer within 6000 ms.',
      },
    },
    {
      name: 'prices that could not be had, without a policy of slippage',
      tx: swap({ minOut: 1n }),
      facts: { prices: unavailable('usd-price') },
      expected: { status: 'failed', code: 'data_unavailable', says: 'usd-price is unavailable' },
    },
    {
      name: 'no source of prices',
      tx: swap(),
      facts: { prices: undefined },
      expected: { status: 'failed', code: 'data_unavailable', says: 'No source of prices is configured.' },
    },
    {
      name: 'prices that leave a token out',
      tx: swap(),
      facts: prices({ [USDC]: priceOf(1) }),
      expected: { status: 'failed', code: 'data_unavailable', says: 'usd-price has none' },
    },
    {
      name: 'a price of nothing is none',
      tx: swap({ minOut: 1n }),
      facts: prices({ [USDC]: priceOf(0), [WETH]: priceOf(3_000) }),
      expected: { status: 'failed', code: 'data_unavailable', says: 'could not be compared' },
    },
    {
      name: 'identities that could not be had',
      tx: swap(),
      policy: max(100),
      facts: { tokens: unavailable('token-identity') },
      expected: { status: 'failed', code: 'data_unavailable', field, says: 'token-identity is unavailable' },
    },
    {
      name: 'where no price is known, dust is no guard all the same',
      tx: swap({ minOut: 10n ** 12n - 1n }),
      policy: max(100),
      facts: prices({ [USDC]: priceOf(1), [WETH]: null }),
      expected: { status: 'failed', code, says: '0.000000999999999999 WETH is dust' },
    },
    {
      name: 'a millionth of a token is something',
      tx: swap({ minOut: 10n ** 12n }),
      policy: max(100),
      facts: prices({ [USDC]: priceOf(1), [WETH]: null }),
      expected: { status: 'passed', says: 'no price is known' },
    },
    {
      name: 'each leg by itself',
      tx: permitAndSwap(UNIVERSAL_ROUTER, { minOut: 0n }),
      expected: [
        { status: 'not_checked', says: 'no swap' },
        { status: 'failed', code, says: 'sets no minimum output' },
      ],
    },
  ])

  it('passes with the minimum that its refusal names', () => {
    const amounts = fc.bigInt(1n, 10n ** 14n)
    const property = fc.property(amounts, fc.integer({ min: 1, max: 9_999 }), (amountIn, maxBps) => {
      const refused = runCheck(slippageGuard, { tx: swap({ amountIn, minOut: 0n }), policy: max(maxBps) })[0]
      const minimum = /at least ([\d,.]+) WETH/.exec(refused?.humanReason ?? '')?.[1]
      assert.ok(minimum, refused?.humanReason)
      const [whole = '', fraction = ''] = minimum.replaceAll(',', '').split('.')
      const minOut = BigInt(whole + fraction.padEnd(18, '0'))
      const fits = (min: bigint) =>
        runCheck(slippageGuard, { tx: swap({ amountIn, minOut: min }), policy: max(maxBps) })[0]?.status
      assert.equal(fits(minOut), 'passed')
    })
    fc.assert(property, { seed: 7, numRuns: 60 })
  })

  it('compares any two tokens by their own decimals', () => {
    const other = addressOf(DAI)
    const fair = swap({ buy: other, amountIn: 100_000_000n, minOut: 99n * 10n ** 18n })
    const short = swap({ buy: other, amountIn: 100_000_000n, minOut: 99_000_000n })
    assert.equal(runCheck(slippageGuard, { tx: fair, policy: max(100) })[0]?.status, 'passed')
    assert.equal(runCheck(slippageGuard, { tx: short, policy: max(100) })[0]?.code, code)
  })
})
