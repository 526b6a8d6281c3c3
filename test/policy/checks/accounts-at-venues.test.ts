// How the checks see what a leg changes in an account at a venue, and the control over one that it hands out.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Address, ZERO_ADDRESS as ZERO } from '../../../src/lib/address.ts'
import { asset } from '../../../src/policy/checks/asset.ts'
import { leverage } from '../../../src/policy/checks/leverage.ts'
import { outflow24h } from '../../../src/policy/checks/outflow-24h.ts'
import { perTxCap } from '../../../src/policy/checks/per-tx-cap.ts'
import { protocolExposure } from '../../../src/policy/checks/protocol-exposure.ts'
import { recipient } from '../../../src/policy/checks/recipient.ts'
import { sanctions } from '../../../src/policy/checks/sanctions.ts'
import { side } from '../../../src/policy/checks/side.ts'
import { sinkRecipient } from '../../../src/policy/checks/sink-recipient.ts'
import { venue } from '../../../src/policy/checks/venue.ts'
import type { DecodedAction, Leg } from '../../../src/policy/decoded-action.ts'
import { addressesOf } from '../../../src/policy/source.ts'
import { Policy } from '../../../src/schema/policy.ts'
import { DAI, FRIEND, factsOf, OBSERVED_AT, STRANGER, USDC, unavailable, WALLET } from '../../support/actions.ts'
import {
  AAVE_POOL,
  account,
  borrowLeg,
  lending,
  MORPHO,
  positionsOf,
  repayLeg,
  supplyLeg,
  withdrawLeg,
} from '../../support/lending.ts'
import { eachCase } from './run-check.ts'

const usdc = (whole: number) => BigInt(Math.round(whole * 1e6))
const amount = usdc(100)

function control(operator: Address, granted = true, owner: Address = WALLET): DecodedAction {
  const leg: Leg = {
    kind: 'authorize',
    venue: 'morpho',
    spends: [],
    receives: [],
    grants: [],
    controls: [{ owner, operator, granted }],
    deadline: null,
  }
  return { ...lending(leg), target: MORPHO }
}

describe('assets', () => {
  const allow = (address: Address) => ({ assets: { allow: [{ chainId: 1, address }] } })
  eachCase(asset, [
    {
      name: 'that are borrowed must be allowed',
      action: lending(borrowLeg({ amount, asset: DAI })),
      policy: allow(USDC),
      expected: { status: 'failed', code: 'asset_not_in_universe', field: 'assets.allow', says: '0x6B17' },
    },
    {
      name: 'that are allowed may be supplied',
      action: lending(supplyLeg({ amount })),
      policy: allow(USDC),
      expected: { status: 'passed', says: '' },
    },
    {
      name: 'that only an account names count too',
      action: lending({ ...withdrawLeg({ amount }), receives: [] }),
      policy: allow(DAI),
      expected: { status: 'failed', code: 'asset_not_in_universe', field: 'assets.allow', says: '0xA0b8' },
    },
  ])
})

describe('recipients', () => {
  const stranger = { status: 'failed', code: 'recipient_not_allowed', field: 'recipients.allow' } as const
  eachCase(recipient, [
    {
      name: 'the wallet’s own account',
      action: lending(supplyLeg({ amount })),
      expected: { status: 'passed', says: '' },
    },
    {
      name: 'a gift into a stranger’s account',
      action: lending(supplyLeg({ amount, party: STRANGER })),
      expected: { ...stranger, says: 'account of' },
    },
    {
      name: 'a stranger’s debt',
      action: lending(repayLeg({ amount, party: STRANGER })),
      expected: { ...stranger, says: 'account of' },
    },
    {
      name: 'a withdrawal to a stranger',
      action: lending(withdrawLeg({ amount, to: STRANGER })),
      expected: { ...stranger, says: 'would receive value' },
    },
    {
      name: 'a friend’s account, where the policy lists him',
      action: lending(supplyLeg({ amount, party: FRIEND })),
      policy: { recipients: { allow: [FRIEND] } },
      expected: { status: 'passed', says: '' },
    },
    { name: 'an operator', action: control(STRANGER), expected: { ...stranger, says: 'would control' } },
    {
      name: 'an operator who is dismissed',
      action: control(STRANGER, false),
      expected: { status: 'passed', says: '' },
    },
  ])
})

describe('sinks', () => {
  const sink = { status: 'failed', code: 'sink_recipient' } as const
  eachCase(sinkRecipient, [
    {
      name: 'an account of the zero address',
      action: lending(supplyLeg({ amount, party: ZERO })),
      expected: { ...sink, says: 'could not be recovered' },
    },
    {
      name: 'a debt of the burn address',
      action: lending(repayLeg({ amount, party: '0x000000000000000000000000000000000000dead' })),
      expected: { ...sink, says: 'could not be recovered' },
    },
    {
      name: 'the wallet’s account is none, and a withdrawal from another’s gives it nothing',
      action: lending(supplyLeg({ amount }), withdrawLeg({ amount, party: FRIEND })),
      policy: { sinks: { deny: [FRIEND] } },
      expected: [
        { status: 'passed', says: '' },
        { status: 'passed', says: '' },
      ],
    },
    {
      name: 'a denied account',
      action: lending(supplyLeg({ amount, party: FRIEND })),
      policy: { sinks: { deny: [FRIEND] } },
      expected: { ...sink, field: 'sinks.deny', says: 'denies' },
    },
    {
      name: 'a denied operator',
      action: control(FRIEND),
      policy: { sinks: { deny: [FRIEND] } },
      expected: { ...sink, field: 'sinks.deny', says: 'denies' },
    },
    { name: 'a dismissed operator', action: control(FRIEND, false), expected: { status: 'not_checked', says: '' } },
  ])
})

describe('venues and sides', () => {
  eachCase(venue, [
    {
      name: 'each leg has its own',
      action: lending(supplyLeg({ amount }), supplyLeg({ amount, market: MORPHO })),
      policy: { venues: { allow: ['aave'] } },
      expected: [
        { status: 'passed', says: '' },
        { status: 'failed', code: 'venue_not_allowed', field: 'venues.allow', says: 'morpho' },
      ],
    },
    {
      name: 'control is a matter of its venue',
      action: control(FRIEND),
      policy: { venues: { allow: ['aave'] } },
      expected: { status: 'failed', code: 'venue_not_allowed', field: 'venues.allow', says: 'morpho' },
    },
  ])
  eachCase(side, [
    {
      name: 'lending is no trade',
      action: lending(borrowLeg({ amount })),
      policy: { sides: { allow: [] } },
      expected: { status: 'not_checked', says: 'no trade' },
    },
  ])
})

describe('leverage of the account that changes', () => {
  const policy = { leverage: { max: 2 } }
  const some = account({ amount: usdc(1_000), usd: 1_000 }, { amount: usdc(400), usd: 400 })
  const rich = account({ amount: usdc(9_000), usd: 9_000 }, null, MORPHO)
  eachCase(leverage, [
    {
      name: 'counts that venue alone',
      action: lending(borrowLeg({ amount: usdc(200) })),
      policy,
      facts: positionsOf(some, rich),
      expected: {
        status: 'failed',
        code: 'leverage_cap_exceeded',
        field: 'leverage.max',
        says: 'The leverage at aave would be 2.5, above the limit of 2: $1,000.00 supplied and $600.00 borrowed; up to 100 USDC could be borrowed.',
      },
    },
    {
      name: 'within the limit',
      action: lending(borrowLeg({ amount: usdc(100) })),
      policy,
      facts: positionsOf(some, rich),
      expected: { status: 'passed', says: '2 of at most 2' },
    },
    {
      name: 'is unknown without the venue’s word',
      action: lending(borrowLeg({ amount })),
      policy,
      facts: { positions: unavailable('positions') },
      expected: { status: 'failed', code: 'data_unavailable', field: 'leverage.max', says: 'positions is unavailable' },
    },
    {
      name: 'is not limited without a limit',
      action: lending(borrowLeg({ amount })),
      expected: { status: 'not_checked', says: 'sets no leverage' },
    },
    {
      name: 'only what raises it is checked',
      action: lending(supplyLeg({ amount }), repayLeg({ amount })),
      policy,
      expected: [
        { status: 'not_checked', says: 'changes no leverage' },
        { status: 'not_checked', says: 'changes no leverage' },
      ],
    },
  ])

  it('asks for positions only then', () => {
    const needs = (leg: Leg, of: object) => leverage.needs({ action: lending(leg), policy: Policy.parse(of) })
    assert.deepEqual(needs(borrowLeg({ amount }), policy), ['tokens', 'prices', 'positions', 'standing'])
    assert.deepEqual(needs(borrowLeg({ amount }), { leverage: { maxPortfolio: 2 } }), [])
    assert.deepEqual(needs(repayLeg({ amount }), policy), [])
  })
})

describe('caps', () => {
  const before = {
    outflow24h: { status: 'fresh', source: 'ledger', observedAt: OBSERVED_AT, value: { microUsd: '50000000' } },
  } as const
  eachCase(perTxCap, [
    {
      name: 'all of a deposit is worth what the venue says there is',
      action: lending(withdrawLeg({ amount: null })),
      policy: { caps: { perTxUsd: 250 } },
      facts: positionsOf(account({ amount: usdc(1_000), usd: 1_000 })),
      expected: {
        status: 'failed',
        code: 'per_tx_cap_exceeded',
        field: 'caps.perTxUsd',
        says: '$1,000.00 is above the cap of $250.00 per transaction; up to 250 USDC would pass.',
      },
    },
    {
      name: 'all of a deposit of which nobody knows is worth nobody knows what',
      action: lending(withdrawLeg({ amount: null })),
      policy: { caps: { perTxUsd: 250 } },
      facts: { positions: unavailable('positions') },
      expected: {
        status: 'failed',
        code: 'data_unavailable',
        field: 'caps.perTxUsd',
        says: 'not known. positions is unavailable',
      },
    },
    {
      name: 'a loan is as large as what is borrowed',
      action: lending(borrowLeg({ amount: usdc(300) })),
      policy: { caps: { perTxUsd: 250 } },
      expected: {
        status: 'failed',
        code: 'per_tx_cap_exceeded',
        field: 'caps.perTxUsd',
        says: 'up to 250 USDC would pass',
      },
    },
  ])
  eachCase(outflow24h, [
    {
      name: 'what is supplied left the wallet',
      action: lending(supplyLeg({ amount: usdc(100) })),
      policy: { caps: { outflow24hUsd: 120 } },
      facts: before,
      expected: {
        status: 'failed',
        code: 'outflow_24h_exceeded',
        field: 'caps.outflow24hUsd',
        says: 'up to 70 USDC would pass',
      },
    },
    {
      name: 'what comes back to the wallet did not',
      action: lending(withdrawLeg({ amount: usdc(100) })),
      policy: { caps: { outflow24hUsd: 120 } },
      facts: before,
      expected: { status: 'passed', says: '$50.00 of $120.00' },
    },
  ])
})

describe('sanctions', () => {
  it('the market, whose account it is, and the operator are screened', () => {
    const all = addressesOf({
      ...control(STRANGER),
      legs: [control(STRANGER).legs[0], supplyLeg({ amount, party: FRIEND })],
    })
    for (const one of [AAVE_POOL, FRIEND, STRANGER, WALLET, MORPHO]) assert.ok(all.includes(one), one)
  })

  const action = lending(supplyLeg({ amount, party: FRIEND }))
  const screened = { sanctions: { status: 'fresh', source: 'sanctions', observedAt: OBSERVED_AT } } as const
  eachCase(sanctions, [
    {
      name: 'whose account it is',
      action,
      facts: { sanctions: { ...screened.sanctions, value: { screened: addressesOf(action), hits: [FRIEND] } } },
      expected: { status: 'failed', code: 'sanctioned_address', says: '41e4D' },
    },
    {
      name: 'who was not asked about',
      action,
      facts: { ...factsOf(lending(supplyLeg({ amount }))) },
      expected: { status: 'failed', code: 'data_unavailable', says: 'were not screened' },
    },
  ])
})

describe('deposits that are traded as tokens', () => {
  const aUSDC: Address = '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c'
  const traded = (sell: Address, buy: Address): DecodedAction => ({
    ...lending({
      kind: 'swap',
      venue: 'uniswap',
      spends: [{ asset: sell, amount, bound: 'max', party: WALLET }],
      receives: [{ asset: buy, amount, bound: 'min', party: WALLET }],
      grants: [],
      deadline: null,
    }),
    target: AAVE_POOL,
  })
  const facts = positionsOf(account({ amount: usdc(1_000), usd: 1_000 }, { amount: usdc(400), usd: 400 }))

  eachCase(leverage, [
    {
      name: 'selling an aToken takes what secures a debt: without its price nothing is approved',
      action: traded(aUSDC, DAI),
      policy: { leverage: { max: 2 } },
      facts,
      expected: { status: 'failed', code: 'data_unavailable', field: 'leverage.max', says: 'cannot be valued' },
    },
    {
      name: 'with the price of what it is a part of, it is counted',
      action: { ...traded(aUSDC, DAI), legs: [traded(aUSDC, USDC).legs[0]] },
      policy: { leverage: { max: 1.5 } },
      facts,
      expected: { status: 'failed', code: 'leverage_cap_exceeded', field: 'leverage.max', says: '$900.00 supplied' },
    },
  ])
  eachCase(protocolExposure, [
    {
      name: 'buying an aToken is a deposit',
      action: traded(USDC, aUSDC),
      policy: { exposure: { perProtocolUsd: { aave: 1_050 } } },
      facts,
      expected: {
        status: 'failed',
        code: 'protocol_exposure_exceeded',
        field: 'exposure.perProtocolUsd.aave',
        says: 'aave would hold $1,100.00',
      },
    },
    {
      name: 'of what has no price it is unknown how large',
      action: traded(DAI, aUSDC),
      policy: { exposure: { perProtocolUsd: { aave: 50_000 } } },
      facts,
      expected: {
        status: 'failed',
        code: 'data_unavailable',
        field: 'exposure.perProtocolUsd.aave',
        says: 'cannot be valued',
      },
    },
  ])
})
