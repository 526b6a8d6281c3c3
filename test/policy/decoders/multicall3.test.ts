import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi, toFunctionSelector } from 'viem'
import { contractOf } from '../../../src/registry/index.ts'
import { type Encoded, erc20Transfer, permit2Permit, tokens, uniswap, wethDeposit } from '../../support/encode.ts'
import { decoded, FRIEND, flowsOf, refusal, STRANGER, WALLET } from './flows.ts'

const ABI = parseAbi([
  'function aggregate((address,bytes)[]) payable',
  'function tryAggregate(bool,(address,bytes)[]) payable',
  'function blockAndAggregate((address,bytes)[]) payable',
  'function aggregate3((address,bool,bytes)[]) payable',
  'function aggregate3Value((address,bool,uint256,bytes)[]) payable',
])
const PERMIT = parseAbi(['function permit(address,address,uint256,uint256,uint8,bytes32,bytes32)'])
const MULTICALL3 = contractOf(1, 'multicall3') as Address
const WORD: Hex = `0x${'11'.repeat(32)}`

const to3 = (data: Hex, value = 0n): Encoded => ({
  to: MULTICALL3,
  data,
  value: numberToHex(value),
  protocol: 'multicall3',
  description: 'multicall',
})
type Paid = readonly [to: Address, mayFail: boolean, value: bigint, data: Hex]
const paid = (calls: readonly Paid[], value = calls.reduce((sum, [, , one]) => sum + one, 0n)) =>
  to3(encodeFunctionData({ abi: ABI, functionName: 'aggregate3Value', args: [calls] }), value)
const permit = (owner: Address) =>
  encodeFunctionData({ abi: PERMIT, args: [owner, uniswap.swapRouter02, 5n, 1_900_000_000n, 27, WORD, WORD] })

describe('Multicall3', () => {
  test('pays native coin onwards, all of what was sent', () => {
    const tx = paid([
      [FRIEND, false, 3n, '0x'],
      [STRANGER, false, 4n, '0x'],
    ])
    assert.deepEqual(flowsOf(tx).receives, ['= 3 ETH to friend', '= 4 ETH to stranger'])
    assert.deepEqual(flowsOf(tx).spends, ['= 3 ETH of wallet', '= 4 ETH of wallet'])
    assert.match(refusal(paid([[FRIEND, false, 3n, '0x']], 4n)), /anybody's/)
    assert.match(refusal(paid([[FRIEND, true, 3n, '0x']])), /may fail/)
    assert.match(refusal(paid([[tokens.WETH, false, 3n, '0x']])), /not the wallet/)
  })

  test('carries what its owner signed, whoever sends it', () => {
    const calls = [[tokens.USDC, permit(WALLET)]] as const
    for (const data of [
      encodeFunctionData({ abi: ABI, functionName: 'aggregate', args: [calls] }),
      encodeFunctionData({ abi: ABI, functionName: 'blockAndAggregate', args: [calls] }),
      encodeFunctionData({ abi: ABI, functionName: 'tryAggregate', args: [false, calls] }),
      encodeFunctionData({ abi: ABI, functionName: 'aggregate3', args: [[[tokens.USDC, true, permit(WALLET)]]] }),
    ])
      assert.deepEqual(flowsOf(to3(data)).grants, ['swapRouter02 may spend 5 USDC of wallet until ever'])
    const details = { token: tokens.USDC, amount: 5n, expiration: 1_900_000_000, nonce: 0 }
    const signed = permit2Permit({
      owner: WALLET,
      permit: { details, spender: uniswap.universalRouter20, sigDeadline: 1_900_000_000n },
      signature: WORD,
    })
    assert.equal(decoded(paid([[signed.to, false, 0n, signed.data]])).legs[0].kind, 'approve')
    assert.match(refusal(paid([[tokens.USDC, false, 0n, permit(STRANGER)]])), /not of the wallet/)
  })

  test('is not the wallet: whatever would act for Multicall3 is refused', () => {
    const transfer = erc20Transfer({ token: tokens.USDC, to: FRIEND, amount: 5n })
    assert.match(refusal(paid([[transfer.to, false, 0n, transfer.data]])), /by Multicall3 itself/)
    const wrap = wethDeposit({ amount: 5n })
    assert.match(refusal(paid([[wrap.to, false, 5n, wrap.data]])), /by Multicall3 itself/)
    // A permit of Permit2 at a token, and of a token at Permit2, are other functions.
    assert.match(refusal(paid([[uniswap.permit2, false, 0n, permit(WALLET)]])), /by Multicall3 itself/)
    assert.match(refusal(paid([])), /empty/)
    assert.match(refusal(to3(toFunctionSelector('getEthBalance(address)'))), /not decoded/)
    assert.match(refusal(to3(`${paid([[FRIEND, false, 0n, '0x']]).data}00`)), /followed by 1 bytes/)
  })
})
