import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { protocolExposure } from '../../../src/policy/checks/protocol-exposure.ts'
import { Policy } from '../../../src/schema/policy.ts'
import { decoded, FRIEND, swap, unavailable } from '../../support/actions.ts'
import { account, lending, MORPHO, positionsOf, supplyLeg, withdrawLeg } from '../../support/lending.ts'
import { eachCase } from './run-check.ts'

const usdc = (whole: number) => BigInt(Math.round(whole * 1e6))
const policy = { exposure: { perProtocolUsd: { aave: 1_000, '*': 100 } } }
const some = account({ amount: usdc(500), usd: 500 }, { amount: usdc(400), usd: 400 })
const other = account({ amount: usdc(90), usd: 90 }, null, MORPHO)
const exceeded = {
  status: 'failed',
  code: 'protocol_exposure_exceeded',
  field: 'exposure.perProtocolUsd.aave',
} as const
const missing = { status: 'failed', code: 'data_unavailable', field: 'exposure.perProtocolUsd' } as const

describe('protocol exposure', () => {
  eachCase(protocolExposure, [
    { name: 'is none of a swap', tx: swap(), policy, expected: { status: 'not_checked', says: 'no position' } },
    {
      name: 'is none of what only comes back',
      action: lending(withdrawLeg({ amount: null })),
      policy,
      facts: { positions: unavailable('positions') },
      expected: { status: 'not_checked', says: 'no position' },
    },
    {
      name: 'is none of what is supplied in somebody else’s name',
      action: lending(supplyLeg({ amount: usdc(5_000), party: FRIEND })),
      policy,
      facts: positionsOf(some),
      expected: { status: 'not_checked', says: 'no position' },
    },
    {
      name: 'is not limited without a limit',
      action: lending(supplyLeg({ amount: 1n })),
      expected: { status: 'not_checked', says: 'limits no protocol' },
    },
    {
      name: 'is not limited where others are',
      action: lending(supplyLeg({ amount: 1n })),
      policy: { exposure: { perProtocolUsd: { uniswap: 5 } } },
      expected: { status: 'not_checked', says: 'no limit for aave' },
    },
    {
      name: 'at the limit passes, whatever is owed there',
      action: lending(supplyLeg({ amount: usdc(500) })),
      policy,
      facts: positionsOf(some, other),
      expected: { status: 'passed', says: 'aave would hold $1,000.00 of at most $1,000.00.' },
    },
    {
      name: 'above it says how much could be supplied',
      action: lending(supplyLeg({ amount: usdc(900) })),
      policy,
      facts: positionsOf(some, other),
      expected: {
        ...exceeded,
        says: 'aave would hold $1,400.00 for the wallet, above the limit of $1,000.00; up to 500 USDC could be supplied.',
      },
    },
    {
      name: 'says a difference of less than a cent exactly',
      action: lending(supplyLeg({ amount: usdc(500.000001) })),
      policy,
      facts: positionsOf(some),
      expected: { ...exceeded, says: '$1,000.000001 for the wallet, above the limit of $1,000.00' },
    },
    {
      name: 'of a protocol without a limit of its own has the one of all others',
      action: lending(supplyLeg({ amount: usdc(11), market: MORPHO })),
      policy,
      facts: positionsOf(some, other),
      expected: { ...exceeded, field: 'exposure.perProtocolUsd.*', says: 'up to 10 USDC could be supplied' },
    },
    {
      name: 'is of each protocol that is supplied',
      action: lending(supplyLeg({ amount: usdc(1) }), supplyLeg({ amount: usdc(11), market: MORPHO })),
      policy,
      facts: positionsOf(some, other),
      expected: { ...exceeded, field: 'exposure.perProtocolUsd.*', says: 'morpho would hold $101.00' },
    },
    {
      name: 'counts the account that is supplied, whatever its venue is called',
      action: lending(supplyLeg({ amount: usdc(600) })),
      policy,
      facts: positionsOf({ ...some, protocol: 'another name' }),
      expected: { ...exceeded, says: '$1,100.00' },
    },
    {
      name: 'counts what the same action takes out',
      action: lending(withdrawLeg({ amount: usdc(300) }), supplyLeg({ amount: usdc(700) })),
      policy,
      facts: positionsOf(some),
      expected: { status: 'passed', says: '$900.00' },
    },
    {
      name: 'does not count on what may be less than all',
      action: lending(withdrawLeg({ amount: null }), supplyLeg({ amount: usdc(700) })),
      policy,
      facts: positionsOf(some),
      expected: { ...exceeded, says: '$1,200.00' },
    },
    {
      name: 'needs the positions',
      action: lending(supplyLeg({ amount: 1n })),
      policy,
      facts: { positions: unavailable('positions') },
      expected: { ...missing, says: 'positions is unavailable' },
    },
    {
      name: 'needs them valued',
      action: lending(supplyLeg({ amount: 1n })),
      policy,
      facts: positionsOf(account({ amount: 1n, usd: null })),
      expected: { ...missing, field: 'exposure.perProtocolUsd.aave', says: 'aave would hold cannot be valued' },
    },
  ])

  it('asks for positions only where a limit applies to what is supplied', () => {
    const needs = (action = lending(supplyLeg({ amount: 1n })), of: object = policy) =>
      protocolExposure.needs({ action, policy: Policy.parse(of) })
    assert.deepEqual(needs(), ['tokens', 'prices', 'positions', 'standing'])
    assert.deepEqual(needs(undefined, { exposure: { perProtocolUsd: { uniswap: 1 } } }), [])
    assert.deepEqual(needs(lending(withdrawLeg({ amount: 1n }))), [])
    assert.deepEqual(needs(decoded(swap())), [])
  })

  it('does not take a protocol’s name for a property of every object', () => {
    const strange = { ...lending(supplyLeg({ amount: 1n })) }
    const [leg] = strange.legs
    const action = { ...strange, legs: [{ ...leg, venue: 'constructor' }] as const }
    const policyOf = Policy.parse({ exposure: { perProtocolUsd: { aave: 1 } } })
    assert.deepEqual(protocolExposure.needs({ action, policy: policyOf }), [])
  })
})
