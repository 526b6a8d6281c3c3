import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Hex, zeroAddress } from 'viem'
import { toAddress } from '../../../src/lib/address.ts'
import {
  ROUTER,
  SENDER,
  srExactInputSingle,
  srMulticall,
  srRefundETH,
  srSelfPermit,
  srSelfPermitAllowed,
  srSweepFeeTo,
  srSweepTo,
  srUnwrapTo,
  swapRouter02,
  tokens,
} from '../../support/encode.ts'
import {
  unwrapFee,
  unwrapFeeTo,
  v3In,
  v3InSingle,
  v3Out,
  v3OutSingle,
  v3SwapRouter,
} from '../../support/encode-routers.ts'
import { decoded, FRIEND, flowsOf, refusal, STRANGER, WALLET } from './flows.ts'

const { USDC, WETH, DAI } = tokens
const ETHER = 10n ** 18n
const SOLD = 3_000_000_000n

describe('SwapRouter', () => {
  const single = { tokenIn: USDC, tokenOut: WETH, fee: 500, recipient: WALLET, amount: SOLD, limit: ETHER }
  const route = { tokens: [USDC, DAI, WETH], fees: [100, 500], recipient: WALLET, amount: SOLD, limit: ETHER }
  const batch = (value: bigint, ...calls: readonly Hex[]) => v3SwapRouter(srMulticall({ calls }), value)
  const flows = (data: Hex) => {
    const { spends, receives } = flowsOf(v3SwapRouter(data))
    return [spends, receives]
  }

  test('sales and purchases, in one pool or several, each with a deadline of its own', () => {
    const sale = [[`<= ${SOLD} USDC of wallet`], [`>= ${ETHER} WETH to wallet`]]
    assert.deepEqual(flows(v3InSingle(single)), sale)
    assert.deepEqual(flows(v3In(route)), sale)
    const bought = { amount: ETHER, limit: SOLD }
    const purchase = [[`<= ${SOLD} USDC of wallet`], [`= ${ETHER} WETH to wallet`]]
    assert.deepEqual(flows(v3OutSingle({ ...single, ...bought })), purchase)
    assert.deepEqual(flows(v3Out({ ...route, ...bought })), purchase)
    assert.deepEqual(decoded(v3SwapRouter(v3In(route))).touches, [toAddress(DAI)])
    const until = [1_900_000_002n, 1_900_000_001n].map((deadline) => v3InSingle({ ...single, deadline }))
    assert.equal(decoded(batch(0n, ...until)).legs[0].deadline, 1_900_000_001)
  })

  test('the zero address is the router, and what is nobody’s word is an address', () => {
    const receiver = (recipient: typeof ROUTER) => flowsOf(v3SwapRouter(v3InSingle({ ...single, recipient }))).receives
    assert.deepEqual(receiver(zeroAddress), [`>= ${ETHER} WETH to v3SwapRouter`])
    assert.deepEqual(receiver(SENDER), [`>= ${ETHER} WETH to ${SENDER}`])
    assert.deepEqual(receiver(ROUTER), [`>= ${ETHER} WETH to ${ROUTER}`])
  })

  test('an amount of 0 is nothing; SwapRouter02 alone sells its balance for it', () => {
    assert.match(refusal(v3SwapRouter(v3InSingle({ ...single, amount: 0n }))), /sells nothing/)
  })

  test('the receiver and the minimum are those of the call that pays out', () => {
    const held = v3InSingle({ ...single, recipient: zeroAddress, limit: 0n })
    assert.deepEqual(flowsOf(batch(0n, held, srUnwrapTo({ min: 5n, recipient: FRIEND }))).receives, [
      '>= 5 ETH to friend',
    ])
    assert.deepEqual(flowsOf(batch(0n, held, srSweepTo({ token: WETH, min: 5n, recipient: FRIEND }))).receives, [
      '>= 5 WETH to friend',
    ])
    const fee = { min: 10_000n, recipient: WALLET, bips: 25n, feeTo: FRIEND }
    assert.deepEqual(flowsOf(batch(0n, held, srSweepFeeTo({ ...fee, token: WETH }))).receives, [
      '>= 25 WETH to friend',
      '>= 9975 WETH to wallet',
    ])
    assert.deepEqual(flowsOf(batch(0n, held, unwrapFeeTo(fee))).receives, [
      '>= 25 ETH to friend',
      '>= 9975 ETH to wallet',
    ])
    for (const bips of [0n, 101n])
      assert.match(refusal(batch(0n, held, unwrapFeeTo({ ...fee, bips }))), /takes no fee of/)
    assert.match(refusal(batch(0n, held, unwrapFeeTo({ ...fee, feeTo: WETH }))), /comes back to the router/)
  })

  test('native value that nobody asks back stays in the router', () => {
    const sold = v3InSingle({ ...single, tokenIn: WETH, tokenOut: USDC, amount: ETHER, limit: 5n })
    assert.deepEqual(flowsOf(v3SwapRouter(sold, 3n * ETHER)).receives, [
      '>= 5 USDC to wallet',
      `= ${2n * ETHER} ETH to v3SwapRouter`,
    ])
    assert.deepEqual(flowsOf(batch(3n * ETHER, sold, srRefundETH())).spends, [`<= ${ETHER} ETH of wallet`])
    assert.match(refusal(batch(ETHER - 1n, sold)), /does not cover what is sold/)
  })

  test('a price limit ends a purchase before all is bought', () => {
    const limited = v3OutSingle({ ...single, amount: ETHER, limit: SOLD, priceLimit: 1n })
    assert.deepEqual(flows(limited)[1], ['>= 0 WETH to wallet'])
  })

  test('permits give the router a right', () => {
    const sign = { v: 27, r: `0x${'11'.repeat(32)}`, s: `0x${'22'.repeat(32)}` } as const
    const some = srSelfPermit({ ...sign, token: USDC, amount: 9n, deadline: 5n })
    const all = srSelfPermitAllowed({ ...sign, token: DAI, nonce: 1n, expiry: 0n })
    assert.deepEqual(flowsOf(batch(0n, some, all, v3InSingle(single))).grants, [
      'v3SwapRouter may spend 9 USDC of wallet until ever',
      'v3SwapRouter may spend unlimited DAI of wallet until ever',
    ])
  })

  test('the selectors of SwapRouter02 are not its own', () => {
    assert.match(refusal(v3SwapRouter('0x04e45aaf')), /0x04e45aaf is not decoded/)
    assert.match(refusal(swapRouter02(v3InSingle(single))), /0x414bf389 is not decoded/)
  })
})

describe('SwapRouter02: unwrapping with a fee', () => {
  const held = (limit: bigint) =>
    ({ tokenIn: USDC, tokenOut: WETH, fee: 500, recipient: ROUTER, amountIn: SOLD, min: limit, limit: 0n }) as const

  test('pays a part to somebody, the rest to whom it says or to the sender', () => {
    const bought = srExactInputSingle(held(0n))
    const to = unwrapFeeTo({ min: 10_000n, recipient: STRANGER, bips: 100n, feeTo: FRIEND })
    assert.deepEqual(flowsOf(swapRouter02(srMulticall({ calls: [bought, to] }))).receives, [
      '>= 100 ETH to friend',
      '>= 9900 ETH to stranger',
    ])
    const own = unwrapFee({ min: 10_000n, bips: 100n, feeTo: FRIEND })
    assert.deepEqual(flowsOf(swapRouter02(srMulticall({ calls: [bought, own] }))).receives, [
      '>= 100 ETH to friend',
      '>= 9900 ETH to wallet',
    ])
  })
})
