import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { decode } from '../../../src/policy/decode.ts'
import type { Leg } from '../../../src/policy/decoded-action.ts'
import { STRANGER, WALLET } from './flows.ts'

const CTF = '0x4d97dcd97ec945f40cf65f87097ace5ea0476045'
const EXCHANGE = '0xe111180000d2663c0091e4f400237545b87b996b'
const DOLLARS = '0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb'
const NONE: Hex = `0x${'0'.repeat(64)}`
const CONDITION: Hex = `0x${'c0'.repeat(32)}`
const ABI = parseAbi([
  'function splitPosition(address,bytes32,bytes32,uint256[],uint256)',
  'function mergePositions(address,bytes32,bytes32,uint256[],uint256)',
  'function redeemPositions(address,bytes32,bytes32,uint256[])',
  'function setApprovalForAll(address,bool)',
])

const call = (data: Hex, to: Hex = CTF, value = '0x0') =>
  decode({ to, data, value, chainId: 137, protocol: 'polymarket' }, WALLET)

function legOf(data: Hex): Leg {
  const result = call(data)
  assert.ok(result.ok, result.ok ? '' : result.reason)
  return result.value.legs[0]
}

function refusal(result: ReturnType<typeof call>): string {
  assert.ok(!result.ok, 'it was decoded')
  return result.reason
}

const moved = (functionName: 'splitPosition' | 'mergePositions', sets = [1n, 2n], parent = NONE) =>
  encodeFunctionData({ abi: ABI, functionName, args: [DOLLARS, parent, CONDITION, sets, 5n] })

describe('conditional tokens', () => {
  const position = { market: CTF, marketId: CONDITION, side: 'supply', asset: DOLLARS, party: WALLET }
  const flow = { asset: DOLLARS, amount: 5n, bound: 'exact', party: WALLET }

  test('are split from dollars, merged to dollars, redeemed for what they pay', () => {
    assert.equal(moved('splitPosition').slice(0, 10), '0x72ce4275')
    const split = legOf(moved('splitPosition'))
    assert.deepEqual([split.kind, split.spends, split.receives], ['supply', [flow], []])
    assert.deepEqual(split.positions, [{ ...position, change: 'increase', amount: 5n }])
    const merge = legOf(moved('mergePositions'))
    assert.deepEqual([merge.kind, merge.spends, merge.receives], ['withdraw', [], [flow]])
    const args = [DOLLARS, NONE, CONDITION, [1n, 2n]] as const
    const redeem = legOf(encodeFunctionData({ abi: ABI, functionName: 'redeemPositions', args }))
    assert.deepEqual(redeem.positions, [{ ...position, change: 'decrease', amount: null }])
  })

  test('may be handed to an operator, which is control', () => {
    const data = encodeFunctionData({ abi: ABI, functionName: 'setApprovalForAll', args: [EXCHANGE, true] })
    assert.deepEqual(legOf(data).controls, [{ owner: WALLET, operator: EXCHANGE, granted: true }])
  })

  test('nested, of other sets, with value, or sent to somebody are refused', () => {
    assert.match(refusal(call(moved('splitPosition', [1n, 2n], CONDITION))), /within positions/)
    for (const sets of [[1n], [2n, 1n], [1n, 2n, 4n], []])
      assert.match(refusal(call(moved('splitPosition', sets))), /two outcomes/)
    assert.match(refusal(call(moved('splitPosition'), CTF, '0x1')), /"value" must be 0/)
    assert.match(refusal(call('0xf242432a')), /no price/)
    assert.match(refusal(call('0x12345678', EXCHANGE)), /takes signed orders/)
    assert.match(refusal(call('0x', EXCHANGE, '0x1')), /takes signed orders/)
    assert.match(refusal(call(moved('splitPosition'), STRANGER)), /no contract/)
  })
})
