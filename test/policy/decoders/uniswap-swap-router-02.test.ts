import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Hex, padHex } from 'viem'
import { toAddress } from '../../../src/lib/address.ts'
import {
  ROUTER,
  SENDER,
  srExactInputSingle,
  srMulticall,
  srPull,
  srRefundETH,
  srSelfPermit,
  srSelfPermitAllowed,
  srSweep,
  srSweepTo,
  srUnwrap,
  srUnwrapTo,
  srV2In,
  srV2Out,
  swapRouter02,
  tokens,
} from '../../support/encode.ts'
import { decoded, FRIEND, flowsOf } from './flows.ts'

const { USDC, WETH, DAI } = tokens
const ETHER = 10n ** 18n
const UNLISTED = toAddress('0xE000000000000000000000000000000000000e11')

const batch = (value: bigint, ...calls: readonly Hex[]) => swapRouter02(srMulticall({ calls }), value)
const toRouter = srExactInputSingle({
  tokenIn: USDC,
  tokenOut: WETH,
  fee: 500,
  recipient: ROUTER,
  limit: 0n,
  amountIn: 3_000_000_000n,
  min: ETHER,
})
const word: Hex = padHex('0x01', { size: 32 })
const permitOf = (token: typeof WETH | typeof USDC | typeof UNLISTED) =>
  srSelfPermit({ token, amount: 5n, deadline: 9n, v: 27, r: word, s: word })

describe('SwapRouter02: anybody can use it while a batch runs', () => {
  test('what an earlier call brought is certain while only listed tokens had a turn', () => {
    assert.deepEqual(flowsOf(batch(0n, toRouter, srUnwrap({ min: 0n }))).receives, [`>= ${ETHER} ETH to wallet`])
    assert.deepEqual(flowsOf(batch(0n, toRouter, permitOf(USDC), srUnwrap({ min: 0n }))).receives, [
      `>= ${ETHER} ETH to wallet`,
    ])
  })

  for (const [what, call] of [
    ['a permit', permitOf(UNLISTED)],
    ['a pull', srPull({ token: UNLISTED, amount: 5n })],
    ['a sweep', srSweepTo({ token: UNLISTED, min: 0n, recipient: FRIEND })],
    ['a swap', srV2In({ amountIn: 5n, min: 1n, path: [USDC, UNLISTED, DAI], recipient: SENDER })],
  ] as const)
    test(`after ${what} of an unlisted token only what a later call demands is certain`, () => {
      assert.ok(flowsOf(batch(0n, toRouter, call, srUnwrap({ min: 0n }))).receives.includes('>= 0 ETH to wallet'))
      assert.ok(flowsOf(batch(0n, toRouter, call, srUnwrap({ min: 7n }))).receives.includes('>= 7 ETH to wallet'))
    })

  test('whoever is paid native coin has a turn too', () => {
    const pull = srPull({ token: DAI, amount: 100n })
    const paid = batch(0n, pull, toRouter, srUnwrapTo({ min: 1n, recipient: FRIEND }), srSweep({ token: DAI, min: 0n }))
    assert.deepEqual(flowsOf(paid).spends, ['<= 100 DAI of wallet', '<= 3000000000 USDC of wallet'])
  })
})

describe('SwapRouter02: permits', () => {
  const signature = { v: 27, r: word, s: word }

  test('the router itself may spend what is signed', () => {
    const data = srSelfPermit({ token: USDC, amount: 5n, deadline: 9n, ...signature })
    assert.deepEqual(flowsOf(swapRouter02(data)).grants, ['swapRouter02 may spend 5 USDC of wallet until ever'])
    assert.equal(decoded(swapRouter02(data)).legs[0].deadline, 9)
  })

  test('Dai’s form is for everything, and never too late where its expiry is 0', () => {
    const allowed = (expiry: bigint) =>
      swapRouter02(srSelfPermitAllowed({ token: DAI, nonce: 3n, expiry, ...signature }))
    assert.deepEqual(flowsOf(allowed(9n)).grants, ['swapRouter02 may spend unlimited DAI of wallet until ever'])
    assert.equal(decoded(allowed(9n)).legs[0].deadline, 9)
    assert.equal(decoded(allowed(0n)).legs[0].deadline, null)
  })
})

describe('SwapRouter02: what it moves', () => {
  test('a pull takes the wrapped coin from the wallet, whatever native value comes along', () => {
    const pull = srPull({ token: WETH, amount: 5n })
    const { spends, receives } = flowsOf(batch(10n, pull, srSweepTo({ token: WETH, min: 5n, recipient: FRIEND })))
    assert.deepEqual(spends, ['= 10 ETH of wallet', '= 5 WETH of wallet'])
    assert.deepEqual(receives, ['>= 5 WETH to friend', '= 10 ETH to swapRouter02'])
    assert.deepEqual(flowsOf(batch(10n, pull, srRefundETH(), srUnwrap({ min: 0n }))).spends, ['= 5 WETH of wallet'])
  })

  test('an exact output of v2 may be rounded up, and is certain with listed tokens on the way', () => {
    const bought = (path: readonly (typeof WETH | typeof USDC | typeof UNLISTED)[]) =>
      swapRouter02(srV2Out({ amountOut: ETHER, max: 4_000_000_000n, path, recipient: SENDER }))
    assert.deepEqual(flowsOf(bought([USDC, WETH])).receives, [`>= ${ETHER} WETH to wallet`])
    assert.deepEqual(flowsOf(bought([USDC, UNLISTED, WETH])).receives, ['>= 0 WETH to wallet'])
  })
})
