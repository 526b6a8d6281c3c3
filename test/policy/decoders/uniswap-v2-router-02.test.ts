import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Address, Hex } from 'viem'
import { addresses } from '../../../scripts/local-chain/addresses.ts'
import { toAddress } from '../../../src/lib/address.ts'
import { decode } from '../../../src/policy/decode.ts'
import { tokens } from '../../support/encode.ts'
import {
  V2_NATIVE_REMOVALS,
  V2_NATIVE_SWAPS,
  V2_SWAPS,
  v2Add,
  v2AddNative,
  v2NativeSwap,
  v2Remove,
  v2RemoveNative,
  v2Swap,
} from '../../support/encode-routers.ts'
import { decoded, FRIEND, flowsOf, refusal, WALLET } from './flows.ts'

const { USDC, WETH, DAI } = tokens
const UNLISTED = toAddress('0xE000000000000000000000000000000000000e11')
const ETHER = 10n ** 18n
const SOLD = 3_000_000_000n
const SHARES = toAddress(addresses.pools.v2UsdcWeth)
const UNTIL = 1_900_000_000n

describe('Router02: swaps', () => {
  const common = { to: FRIEND, deadline: UNTIL }

  test('of tokens: what is exact is what the name says, and the other has a limit', () => {
    const expected = {
      swapExactTokensForTokens: ['= 7 DAI of wallet', '>= 5 WETH to friend'],
      swapExactTokensForTokensSupportingFeeOnTransferTokens: ['= 7 DAI of wallet', '>= 5 WETH to friend'],
      swapTokensForExactTokens: ['<= 5 DAI of wallet', '= 7 WETH to friend'],
      swapExactTokensForETH: ['= 7 DAI of wallet', '>= 5 ETH to friend'],
      swapExactTokensForETHSupportingFeeOnTransferTokens: ['= 7 DAI of wallet', '>= 5 ETH to friend'],
      swapTokensForExactETH: ['<= 5 DAI of wallet', '= 7 ETH to friend'],
    }
    for (const name of V2_SWAPS) {
      const tx = v2Swap(name, { ...common, amount: 7n, limit: 5n, path: [DAI, USDC, WETH] })
      const { spends, receives } = flowsOf(tx)
      assert.deepEqual([spends, receives], [[expected[name][0]], [expected[name][1]]], name)
      const { legs, touches } = decoded(tx)
      assert.deepEqual([legs[0].kind, legs[0].deadline, touches], ['swap', Number(UNTIL), [toAddress(USDC)]])
    }
  })

  test('of native coin: the amount is the value of the call', () => {
    const expected = {
      swapExactETHForTokens: ['= 9 ETH of wallet', '>= 5 DAI to friend'],
      swapExactETHForTokensSupportingFeeOnTransferTokens: ['= 9 ETH of wallet', '>= 5 DAI to friend'],
      swapETHForExactTokens: ['<= 9 ETH of wallet', '= 5 DAI to friend'],
    }
    for (const name of V2_NATIVE_SWAPS) {
      const tx = v2NativeSwap(name, { ...common, value: 9n, amount: 5n, path: [WETH, DAI] })
      const { spends, receives } = flowsOf(tx)
      assert.deepEqual([spends, receives], [[expected[name][0]], [expected[name][1]]], name)
    }
  })

  test('no address is a word for anybody', () => {
    for (const to of [1, 2].map((n) => `0x${n.toString(16).padStart(40, '0')}` as Address)) {
      const tx = v2Swap('swapExactTokensForTokens', { to, amount: 7n, limit: 5n, path: [DAI, WETH] })
      assert.deepEqual(flowsOf(tx).receives, [`>= 5 WETH to ${to}`])
    }
  })

  test('the output is exact through tokens that no list knows: pools pay what the router worked out', () => {
    const tx = v2Swap('swapTokensForExactTokens', { ...common, amount: 7n, limit: 5n, path: [USDC, UNLISTED, WETH] })
    assert.deepEqual(flowsOf(tx).receives, ['= 7 WETH to friend'])
  })

  test('a path that does not begin or end at the wrapped coin, sells nothing or turns back is refused', () => {
    const swap = { ...common, amount: 7n, limit: 5n }
    assert.match(refusal(v2Swap('swapExactTokensForETH', { ...swap, path: [WETH, DAI] })), /must end at the wrapped/)
    const native = { ...common, value: 9n, amount: 5n }
    assert.match(refusal(v2NativeSwap('swapExactETHForTokens', { ...native, path: [DAI, WETH] })), /must begin at the/)
    assert.match(
      refusal(v2NativeSwap('swapExactETHForTokens', { ...native, value: 0n, path: [WETH, DAI] })),
      /sells noth/,
    )
    assert.match(
      refusal(v2Swap('swapExactTokensForTokens', { ...swap, amount: 0n, path: [USDC, DAI] })),
      /sells nothing/,
    )
    assert.match(
      refusal(v2Swap('swapTokensForExactTokens', { ...swap, amount: 0n, path: [USDC, DAI] })),
      /buys nothing/,
    )
    assert.match(refusal(v2Swap('swapExactTokensForTokens', { ...swap, path: [DAI, WETH, DAI] })), /sells what it buys/)
    assert.match(refusal(v2Swap('swapExactTokensForTokens', { ...swap, path: [DAI] })), /at least two/)
  })

  test('native coin is not paid to the wrapped coin, which gives it back to the router', () => {
    const swap = { to: WETH, amount: 7n, limit: 5n, path: [DAI, WETH] }
    for (const name of V2_SWAPS) {
      if (name.includes('ETH')) assert.match(refusal(v2Swap(name, swap)), /comes back to the router/, name)
      else assert.equal(decoded(v2Swap(name, swap)).legs.length, 1)
    }
    for (const name of V2_NATIVE_REMOVALS) {
      const removal = { token: USDC, shares: 50n, min: 3n, minNative: 4n, to: WETH }
      assert.match(refusal(v2RemoveNative(name, removal)), /comes back to the router/, name)
    }
  })

  test('value beside a function that takes none is refused; trailing bytes are counted', () => {
    const tx = v2Swap('swapExactTokensForTokens', { ...common, amount: 7n, limit: 5n, path: [DAI, WETH] })
    assert.match(refusal({ ...tx, value: '0x1' }), /takes no native value/)
    assert.equal(decoded({ ...tx, data: `${tx.data}abcd` }).trailingBytes, 2)
    assert.match(refusal({ ...tx, data: '0x12345678' }), /0x12345678 is not decoded/)
    const elsewhere = decode({ ...tx, chainId: 999 }, WALLET)
    assert.ok(!elsewhere.ok)
  })
})

describe('Router02: liquidity', () => {
  const sign = { v: 27, r: `0x${'11'.repeat(32)}` as Hex, s: `0x${'22'.repeat(32)}` as Hex }

  test('added: at most what is named leaves, and no number of shares is certain', () => {
    const two = { a: WETH, b: USDC, amountA: ETHER, amountB: SOLD, minA: 1n, minB: 1n, to: FRIEND, deadline: UNTIL }
    assert.deepEqual(flowsOf(v2Add(two)), {
      spends: [`<= ${ETHER} WETH of wallet`, `<= ${SOLD} USDC of wallet`],
      receives: [`>= 0 ${SHARES} to friend`],
      grants: [],
    })
    assert.equal(decoded(v2Add(two)).legs[0].kind, 'supply')
    const native = v2AddNative({ token: USDC, amount: SOLD, value: ETHER, min: 1n, minNative: 1n, to: WALLET })
    assert.deepEqual(flowsOf(native).spends, [`<= ${SOLD} USDC of wallet`, `<= ${ETHER} ETH of wallet`])
    assert.match(refusal(v2Add({ ...two, b: WETH })), /two tokens/)
    assert.match(refusal(v2Add({ ...two, amountB: 0n })), /adds nothing/)
  })

  test('removed: the shares leave, and at least the least amounts arrive', () => {
    const two = { a: USDC, b: WETH, shares: 50n, minA: 3n, minB: 4n, to: FRIEND, deadline: UNTIL }
    const expected = {
      spends: [`= 50 ${SHARES} of wallet`],
      receives: ['>= 3 USDC to friend', '>= 4 WETH to friend'],
      grants: [],
    }
    assert.deepEqual(flowsOf(v2Remove(two)), expected)
    assert.equal(decoded(v2Remove(two)).legs[0].kind, 'withdraw')
    assert.match(refusal(v2Remove({ ...two, shares: 0n })), /removes nothing/)
    for (const name of V2_NATIVE_REMOVALS) {
      const tx = v2RemoveNative(name, { token: USDC, shares: 50n, min: 3n, minNative: 4n, to: FRIEND })
      assert.deepEqual(flowsOf(tx).receives, ['>= 3 USDC to friend', '>= 4 ETH to friend'], name)
    }
  })

  test('a token that may take a fee is not sure to arrive', () => {
    const removal = { token: UNLISTED, shares: 50n, min: 3n, minNative: 4n, to: FRIEND }
    const receives = (name: (typeof V2_NATIVE_REMOVALS)[number]) => flowsOf(v2RemoveNative(name, removal)).receives
    assert.deepEqual(receives('removeLiquidityETHSupportingFeeOnTransferTokens'), [
      `>= 0 ${UNLISTED} to friend`,
      '>= 4 ETH to friend',
    ])
    assert.deepEqual(receives('removeLiquidityETH'), [`>= 3 ${UNLISTED} to friend`, '>= 4 ETH to friend'])
  })

  test('with a permit: the router may spend the shares, those or all', () => {
    const two = { a: USDC, b: WETH, shares: 50n, minA: 3n, minB: 4n, to: FRIEND, deadline: UNTIL }
    const right = (amount: bigint | string) => `v2Router02 may spend ${amount} ${SHARES} of wallet until ever`
    for (const [all, amount] of [
      [false, 50n],
      [true, 'unlimited'],
    ] as const) {
      const permit = { ...sign, all }
      assert.deepEqual(flowsOf(v2Remove({ ...two, permit })).grants, [right(amount)])
      assert.deepEqual(
        decoded(v2Remove({ ...two, permit })).legs.map(({ kind }) => kind),
        ['approve', 'withdraw'],
      )
      for (const name of V2_NATIVE_REMOVALS) {
        const removal = { token: USDC, shares: 50n, min: 3n, minNative: 4n, to: FRIEND, deadline: UNTIL, permit }
        assert.deepEqual(flowsOf(v2RemoveNative(name, removal)).grants, [right(amount)], name)
      }
    }
  })
})
