// Positions of Polymarket beside the conditional tokens: markets that exclude each other, and the second protocol.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AbiFunction, encodeFunctionData, type Hex, parseAbiItem } from 'viem'
import { decode } from '../../../src/policy/decode.ts'
import type { Leg } from '../../../src/policy/decoded-action.ts'
import { STRANGER, WALLET } from './flows.ts'

const ADAPTER = '0xd91e80cf2e7be2e162c6513ced06f1dd0da35296'
const ROUTER = '0x12121212006e4cd160d18e3f00711da5c3372600'
const MANAGER = '0x006f54f7f9a22e0000cc2ab60031000000ae9fef'
const DOLLARS = '0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb'
const BRIDGED = '0x2791bca1f2de4661ed88a30c99a7a9449aa84174'
const NONE: Hex = `0x${'0'.repeat(64)}`
const CONDITION: Hex = `0x${'c0'.repeat(32)}`
const SHORT: Hex = `0x${'c0'.repeat(31)}`

function encoded(signature: string, args: readonly unknown[]): Hex {
  const item = parseAbiItem(`function ${signature}`) as AbiFunction
  return encodeFunctionData({ abi: [item], functionName: item.name, args })
}

const call = (to: Hex, data: Hex, value = '0x0') =>
  decode({ to, data, value, chainId: 137, protocol: 'polymarket' }, WALLET)

function legOf(to: Hex, signature: string, args: readonly unknown[]): Leg {
  const result = call(to, encoded(signature, args))
  assert.ok(result.ok, result.ok ? '' : result.reason)
  assert.equal(result.value.legs.length, 1)
  return result.value.legs[0]
}

function refusal(to: Hex, data: Hex, value?: string): string {
  const result = call(to, data, value)
  assert.ok(!result.ok, 'it was decoded')
  return result.reason
}

const flow = (asset: string, amount: bigint, bound = 'exact') => ({ asset, amount, bound, party: WALLET })
const position = (market: string, marketId: Hex, asset: string) => ({
  market,
  marketId,
  side: 'supply',
  asset,
  party: WALLET,
})

describe('markets that exclude each other', () => {
  const at = position(ADAPTER, CONDITION, BRIDGED)
  const LONG = '(address,bytes32,bytes32,uint256[],uint256)'

  test('are split and merged at their adapter, in both of its forms', () => {
    for (const [signature, args] of [
      ['splitPosition(bytes32,uint256)', [CONDITION, 5n]],
      [`splitPosition${LONG}`, [BRIDGED, NONE, CONDITION, [1n, 2n], 5n]],
    ] as const) {
      const leg = legOf(ADAPTER, signature, args)
      assert.deepEqual([leg.kind, leg.venue, leg.spends], ['supply', 'polymarket', [flow(BRIDGED, 5n)]])
      assert.deepEqual(leg.positions, [{ ...at, change: 'increase', amount: 5n }])
    }
    for (const [signature, args] of [
      ['mergePositions(bytes32,uint256)', [CONDITION, 5n]],
      [`mergePositions${LONG}`, [BRIDGED, NONE, CONDITION, [1n, 2n], 5n]],
    ] as const) {
      const leg = legOf(ADAPTER, signature, args)
      assert.deepEqual([leg.kind, leg.receives], ['withdraw', [flow(BRIDGED, 5n)]])
      assert.deepEqual(leg.positions, [{ ...at, change: 'decrease', amount: 5n }])
    }
  })

  test('are redeemed for a dollar a share at most, and nothing at least', () => {
    const leg = legOf(ADAPTER, 'redeemPositions(bytes32,uint256[])', [CONDITION, [3n, 4n]])
    assert.deepEqual([leg.kind, leg.receives], ['withdraw', [flow(BRIDGED, 0n, 'min')]])
    assert.deepEqual(leg.positions, [{ ...at, change: 'decrease', amount: 7n }])
  })

  test('take their own dollars alone, and nothing else is read', () => {
    const split = `splitPosition${LONG}`
    assert.match(refusal(ADAPTER, encoded(split, [DOLLARS, NONE, CONDITION, [1n, 2n], 5n])), /takes 0x2791/)
    assert.match(refusal(ADAPTER, encoded(split, [BRIDGED, CONDITION, CONDITION, [1n, 2n], 5n])), /within positions/)
    assert.match(refusal(ADAPTER, encoded(split, [BRIDGED, NONE, CONDITION, [1n, 4n], 5n])), /two outcomes/)
    assert.match(refusal(ADAPTER, encoded('redeemPositions(bytes32,uint256[])', [CONDITION, [1n]])), /two outcomes/)
    const convert = encoded('convertPositions(bytes32,uint256,uint256)', [CONDITION, 3n, 5n])
    assert.match(refusal(ADAPTER, convert), /is not decoded/)
    const short = encoded('splitPosition(bytes32,uint256)', [CONDITION, 5n])
    assert.match(refusal(ADAPTER, short, '0x1'), /"value" must be 0/)
  })
})

describe('positions of the second protocol', () => {
  const at = position(ROUTER, SHORT, DOLLARS)

  test('are split, merged and redeemed at the router', () => {
    assert.equal(encoded('split(bytes31,uint256)', [SHORT, 5n]).slice(10, 74), `${'c0'.repeat(31)}00`)
    const split = legOf(ROUTER, 'split(bytes31,uint256)', [SHORT, 5n])
    assert.deepEqual([split.kind, split.spends], ['supply', [flow(DOLLARS, 5n)]])
    assert.deepEqual(split.positions, [{ ...at, change: 'increase', amount: 5n }])
    const merge = legOf(ROUTER, 'merge(bytes31,uint256)', [SHORT, 5n])
    assert.deepEqual([merge.kind, merge.receives], ['withdraw', [flow(DOLLARS, 5n)]])
    const redeem = legOf(ROUTER, 'redeem(bytes31,uint256,uint256)', [SHORT, 1n, 5n])
    assert.deepEqual(redeem.receives, [flow(DOLLARS, 0n, 'min')])
    assert.deepEqual(redeem.positions, [{ ...at, change: 'decrease', amount: 5n }])
  })

  test('of a third outcome, of ids that are too long, or with value are refused', () => {
    assert.match(refusal(ROUTER, encoded('redeem(bytes31,uint256,uint256)', [SHORT, 2n, 5n])), /two outcomes/)
    const split = encoded('split(bytes31,uint256)', [SHORT, 5n])
    const long: Hex = `0x${split.slice(2, 72)}01${split.slice(74)}`
    assert.match(refusal(ROUTER, long), /31 bytes/)
    assert.match(refusal(ROUTER, split, '0x1'), /"value" must be 0/)
    assert.match(refusal(ROUTER, encoded('split(bytes32,uint256)', [CONDITION, 5n])), /is not decoded/)
  })

  test('may be handed to an operator, which is control, and sent to nobody', () => {
    const leg = legOf(MANAGER, 'setApprovalForAll(address,bool)', [STRANGER, true])
    assert.deepEqual(leg.controls, [{ owner: WALLET, operator: STRANGER, granted: true }])
    assert.match(refusal(MANAGER, '0xf242432a'), /no price/)
    assert.match(refusal(MANAGER, encoded('split(bytes31,uint256)', [SHORT, 5n])), /is not decoded/)
  })
})
