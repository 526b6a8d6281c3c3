import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { outflow24h } from '../../../src/policy/checks/outflow-24h.ts'
import { Policy } from '../../../src/schema/policy.ts'
import {
  approveToken,
  decoded,
  FRIEND,
  OBSERVED_AT,
  PERMIT2,
  permitAndSwap,
  sendNative,
  swap,
  transfer,
  USDC,
  unavailable,
  wrap,
} from '../../support/actions.ts'
import { eachCase } from './run-check.ts'

const code = 'outflow_24h_exceeded'
const field = 'caps.outflow24hUsd'
const limit = (outflow24hUsd: number) => ({ caps: { outflow24hUsd } })
const dollar = 1_000_000n
const before = (microUsd: bigint) => ({
  outflow24h: {
    status: 'fresh',
    source: 'ledger',
    observedAt: OBSERVED_AT,
    value: { microUsd: microUsd.toString() },
  } as const,
})

describe('outflow_24h', () => {
  it('asks for what it needs where there is a limit, and for nothing else', () => {
    const action = decoded(swap())
    assert.deepEqual(outflow24h.needs({ action, policy: Policy.parse(limit(1)) }), ['tokens', 'prices', 'outflow24h'])
    assert.deepEqual(outflow24h.needs({ action, policy: Policy.parse({ caps: { perTxUsd: 1 } }) }), [])
  })

  eachCase(outflow24h, [
    { name: 'without a limit', tx: swap(), expected: { status: 'not_checked', says: 'sets no 24-hour limit' } },
    {
      name: 'what moves nothing',
      tx: approveToken(USDC, PERMIT2, 1n),
      policy: limit(0),
      facts: before(1n),
      expected: { status: 'not_checked', says: 'moves no value' },
    },
    {
      name: 'exactly at the limit, with what was before',
      tx: transfer(USDC, FRIEND, 500n * dollar),
      policy: limit(2_000),
      facts: before(1_500n * dollar),
      expected: { status: 'passed', says: '$2,000.00 of $2,000.00 in 24 hours, this included.' },
    },
    {
      name: 'above the limit with what was before: names all three and what would pass',
      tx: transfer(USDC, FRIEND, 600n * dollar),
      policy: limit(2_000),
      facts: before(1_500n * dollar),
      expected: {
        status: 'failed',
        code,
        field,
        says: '$600.00 on top of $1,500.00 in the last 24 hours is above the limit of $2,000.00; up to 500 USDC would pass.',
      },
    },
    {
      name: 'a millionth above the limit: names all three to the last digit',
      tx: transfer(USDC, FRIEND, 500n * dollar),
      policy: limit(2_000),
      facts: before(1_500n * dollar + 1n),
      expected: {
        status: 'failed',
        code,
        field,
        says: '$500.00 on top of $1,500.000001 in the last 24 hours is above the limit of $2,000.00; up to 499.999999 USDC',
      },
    },
    {
      name: 'where nothing is left, nothing is offered',
      tx: transfer(USDC, FRIEND, 1n),
      policy: limit(2_000),
      facts: before(2_500n * dollar),
      expected: { status: 'failed', code, field, says: /limit of \$2,000\.00\.$/ },
    },
    {
      name: 'what only changes its form leaves nothing',
      tx: wrap(10n ** 18n),
      policy: limit(2_000),
      facts: before(2_000n * dollar),
      expected: { status: 'passed', says: '$2,000.00 of $2,000.00' },
    },
    {
      name: 'what is swapped leaves, though something comes back',
      tx: swap(),
      policy: limit(99.99),
      expected: { status: 'failed', code, field, says: '$100.00 on top of $0.00' },
    },
    {
      name: 'once for all legs together',
      tx: permitAndSwap(FRIEND, { amountIn: 300n * dollar, minOut: 1n }),
      policy: limit(500),
      expected: { status: 'failed', code, field, says: '$600.00 on top of' },
    },
    {
      name: 'a ledger that could not be read',
      tx: swap(),
      policy: limit(2_000),
      facts: { outflow24h: unavailable('ledger') },
      expected: {
        status: 'failed',
        code: 'data_unavailable',
        field,
        says: 'The outflow of the last 24 hours is not known. ledger is unavailable',
      },
    },
    {
      name: 'no ledger',
      tx: swap(),
      policy: limit(2_000),
      facts: { outflow24h: undefined },
      expected: { status: 'failed', code: 'data_unavailable', field, says: 'No source of outflow24h' },
    },
    {
      name: 'prices that could not be had',
      tx: swap(),
      policy: limit(2_000),
      facts: { prices: unavailable('usd-price') },
      expected: {
        status: 'failed',
        code: 'data_unavailable',
        field,
        says: 'Its value in US dollars is not known. usd-price is unavailable',
      },
    },
    {
      name: 'more than can be counted, whatever the policy',
      tx: sendNative(FRIEND, 1n << 250n),
      expected: { status: 'failed', code, says: 'is above the limit of $9,223,372,036,854.78' },
    },
    {
      name: 'more than can be counted together with what was before',
      tx: transfer(USDC, FRIEND, 1n),
      facts: before(2n ** 63n - 1n),
      expected: {
        status: 'failed',
        code,
        says: '$0.000001 on top of $9,223,372,036,854.775807 in the last 24 hours is above the limit of $9,223,372,036,854.775807',
      },
    },
    {
      name: 'as much as can be counted',
      tx: transfer(USDC, FRIEND, 1n),
      facts: before(2n ** 63n - 2n),
      expected: { status: 'not_checked', says: 'sets no 24-hour limit' },
    },
  ])
})
