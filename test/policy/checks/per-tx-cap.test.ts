import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { perTxCap } from '../../../src/policy/checks/per-tx-cap.ts'
import { Policy } from '../../../src/schema/policy.ts'
import {
  approveToken,
  decoded,
  FRIEND,
  OBSERVED_AT,
  PERMIT2,
  permitAndSwap,
  priceOf,
  swap,
  transfer,
  USDC,
  unavailable,
  wrap,
} from '../../support/actions.ts'
import { eachCase, runCheck } from './run-check.ts'

const code = 'per_tx_cap_exceeded'
const field = 'caps.perTxUsd'
const cap = (perTxUsd: number) => ({ caps: { perTxUsd } })
const dollar = 1_000_000n
const usdcAt = (dollars: number) => ({
  prices: {
    status: 'fresh',
    source: 'usd-price',
    observedAt: OBSERVED_AT,
    value: { [USDC]: priceOf(dollars) },
  } as const,
})

describe('per_tx_cap', () => {
  it('asks for what it needs where there is a cap, and for nothing else', () => {
    const action = decoded(swap())
    assert.deepEqual(perTxCap.needs({ action, policy: Policy.parse(cap(1)) }), ['tokens', 'prices'])
    assert.deepEqual(perTxCap.needs({ action, policy: Policy.parse({ caps: { outflow24hUsd: 1 } }) }), [])
  })

  eachCase(perTxCap, [
    {
      name: 'without a cap',
      tx: swap(),
      policy: { caps: {} },
      expected: { status: 'not_checked', says: 'sets no cap' },
    },
    {
      name: 'what moves nothing',
      tx: approveToken(USDC, PERMIT2, 1n),
      policy: cap(0),
      expected: { status: 'not_checked', says: 'moves no value' },
    },
    {
      name: 'exactly at the cap',
      tx: transfer(USDC, FRIEND, 500n * dollar),
      policy: cap(500),
      expected: { status: 'passed', says: '$500.00 is within the cap of $500.00.' },
    },
    {
      name: 'above the cap: names both and what would pass',
      tx: transfer(USDC, FRIEND, 1_240n * dollar),
      policy: cap(500),
      expected: {
        status: 'failed',
        code,
        field,
        says: '$1,240.00 is above the cap of $500.00 per transaction; up to 500 USDC would pass.',
      },
    },
    {
      name: 'above the cap by less than a cent: names both to the last digit',
      tx: transfer(USDC, FRIEND, 250n * dollar),
      policy: cap(250),
      facts: usdcAt(1.00001),
      expected: {
        status: 'failed',
        code,
        field,
        says: '$250.0025 is above the cap of $250.00 per transaction; up to 249.9975 USDC would pass.',
      },
    },
    {
      name: 'the smallest amount above a cap of nothing',
      tx: transfer(USDC, FRIEND, 1n),
      policy: cap(0),
      expected: { status: 'failed', code, field, says: /^\$0\.000001 is above the cap of \$0\.00 per transaction\.$/ },
    },
    {
      name: 'a transfer of nothing',
      tx: transfer(USDC, FRIEND, 0n),
      policy: cap(0),
      expected: { status: 'passed', says: '' },
    },
    {
      name: 'value that returns to the wallet counts',
      tx: wrap(10n ** 18n),
      policy: cap(2_999),
      expected: { status: 'failed', code, field, says: '$3,000.00 is above' },
    },
    {
      name: 'a right to spend that anybody may use at any time counts',
      tx: approveToken(USDC, FRIEND, 600n * dollar),
      policy: cap(500),
      expected: { status: 'failed', code, field, says: '$600.00 is above' },
    },
    {
      name: 'a right without a limit is more than any cap',
      tx: approveToken(USDC, FRIEND, (1n << 256n) - 1n),
      policy: cap(1e12),
      expected: { status: 'failed', code, field, says: 'is above the cap of $1,000,000,000,000.00' },
    },
    {
      name: 'once for all legs together',
      tx: permitAndSwap(FRIEND, { amountIn: 300n * dollar, minOut: 1n }),
      policy: cap(500),
      expected: { status: 'failed', code, field, says: /^\$600\.00 is above the cap of \$500\.00 per transaction\.$/ },
    },
    {
      name: 'a price that is known not to exist',
      tx: transfer(USDC, FRIEND, 1n),
      policy: cap(500),
      facts: { prices: { status: 'fresh', source: 'usd-price', observedAt: OBSERVED_AT, value: { [USDC]: null } } },
      expected: {
        status: 'failed',
        code: 'data_unavailable',
        field,
        says: 'Its value in US dollars is not known. usd-price has none.',
      },
    },
    {
      name: 'prices that could not be had',
      tx: transfer(USDC, FRIEND, 1n),
      policy: cap(500),
      facts: { prices: unavailable('usd-price') },
      expected: { status: 'failed', code: 'data_unavailable', field, says: 'usd-price is unavailable' },
    },
    {
      name: 'identities that could not be had',
      tx: transfer(USDC, FRIEND, 1n),
      policy: cap(500),
      facts: { tokens: unavailable('token-identity') },
      expected: { status: 'failed', code: 'data_unavailable', field, says: 'token-identity is unavailable' },
    },
    {
      name: 'a negative price',
      tx: transfer(USDC, FRIEND, 1n),
      policy: cap(500),
      facts: usdcAt(-1),
      expected: { status: 'failed', code: 'data_unavailable', field, says: 'not known' },
    },
  ])

  it('passes with the most that its refusal names, and not with one unit more', () => {
    const property = fc.property(
      fc.integer({ min: 1, max: 10 ** 9 }),
      fc.integer({ min: 1, max: 10 ** 6 }),
      (cents, priceE4) => {
        const policy = cap(cents / 100)
        const facts = usdcAt(priceE4 / 10_000)
        const status = (amount: bigint) => runCheck(perTxCap, { tx: transfer(USDC, FRIEND, amount), policy, facts })[0]
        const most = /up to ([\d,.]+) USDC/.exec(status(1n << 100n)?.humanReason ?? '')?.[1]
        assert.ok(most)
        const [whole = '', fraction = ''] = most.replaceAll(',', '').split('.')
        const amount = BigInt(whole + fraction.padEnd(6, '0'))
        assert.equal(status(amount)?.status, 'passed')
        assert.equal(status(amount + 1n)?.code, code)
      },
    )
    fc.assert(property, { seed: 7, numRuns: 100 })
  })
})
