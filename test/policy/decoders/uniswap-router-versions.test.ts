// The versions of the Universal Router that are no contract of the local chain: 1.2, of which less is certain, and 2.1.2,
// which fails where a purchase is not delivered in full.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { contractAt, contractOf } from '../../../src/registry/index.ts'
import {
  type Command,
  type Encoded,
  ROUTER,
  SENDER,
  tokens,
  universalRouter,
  urCollect,
  urPortion,
  urSweep,
  urUnwrap,
  urV2In,
  urV3In,
  type Version,
} from '../../support/encode.ts'
import { poolKey, urSubPlan, urV4, v4Out, v4OutSingle, v4Settle, v4Take } from '../../support/encode-v4.ts'
import { FRIEND, flowsOf, refusal } from './flows.ts'

const { USDC, WETH, DAI } = tokens
const ETHER = 10n ** 18n
const SOLD = 3_000_000_000n

const at = (registered: string, layout: Version) => {
  const to = contractOf(1, 'uniswap-universal-router', registered) ?? assert.fail()
  return (...commands: readonly Command[]): Encoded => ({ ...universalRouter({ version: layout, commands }), to })
}
const swap = { walletPays: true, recipient: ROUTER, amountIn: SOLD, min: ETHER }

describe('Universal Router 1.2', () => {
  const plan = at('1.2', '2.0')
  const bought = urV3In({ ...swap, version: '2.0', tokens: [USDC, WETH], fees: [500] })

  test('reads the commands that all its sources share as 2.0 does', () => {
    const portion = urPortion({ token: WETH, to: FRIEND, bips: 25n })
    assert.deepEqual(flowsOf(plan(bought, portion, urUnwrap({ to: SENDER, min: 1n }))).receives, [
      `>= ${(ETHER * 25n) / 10_000n} WETH to friend`,
      `>= ${(ETHER * 9_975n) / 10_000n} ETH to wallet`,
    ])
    const v2 = urV2In({ ...swap, version: '2.0', recipient: SENDER, path: [USDC, WETH] })
    assert.deepEqual(flowsOf(plan(v2)).receives, [`>= ${ETHER} WETH to wallet`])
    assert.match(
      refusal(plan(urV3In({ ...swap, version: '2.1', tokens: [USDC, WETH], fees: [500] }))),
      /not canon|followed/,
    )
  })

  test('refuses markets of NFTs, and what its sources disagree on', () => {
    for (let byte = 0x10; byte <= 0x20; byte++)
      assert.match(refusal(plan({ byte, input: '0x' })), /a market of NFTs is not decoded/)
    assert.match(refusal(plan(urSubPlan(bought))), /0x21.*a plan or a swap is not certain/)
    for (const byte of [0x07, 0x0f, 0x22, 0x23, 0x24, 0x3f, 0x40, 0x50])
      assert.match(refusal(plan({ ...bought, byte })), /of version 1\.2 is not decoded/)
    for (const to of [SENDER, ROUTER])
      assert.match(refusal(plan(urCollect({ token: USDC, to, amount: 5n }))), /address or for a word is not certain/)
    assert.deepEqual(flowsOf(plan(urCollect({ token: USDC, to: FRIEND, amount: 5n }))).receives, ['= 5 USDC to friend'])
  })

  test('others may have a turn while its plan runs: what no minimum guards is not sure to remain', () => {
    const unlisted = '0xE000000000000000000000000000000000000e11' as const
    const foreign = urV3In({ ...swap, version: '2.0', recipient: SENDER, tokens: [USDC, unlisted], fees: [500] })
    const sweep = (min: bigint) => urSweep({ token: WETH, to: SENDER, min })
    assert.ok(flowsOf(plan(bought, foreign, sweep(0n))).receives.includes('>= 0 WETH to wallet'))
    assert.ok(flowsOf(plan(bought, foreign, sweep(7n))).receives.includes('>= 7 WETH to wallet'))
  })
})

describe('Universal Router 2.1.2', () => {
  const plan = at('2.1.2', '2.1')
  const older = at('2.1', '2.1')

  test('has the inputs of 2.1.1', () => {
    const bought = urV3In({ ...swap, version: '2.1', recipient: SENDER, tokens: [USDC, WETH], fees: [500] })
    assert.deepEqual(flowsOf(plan(bought)).receives, [`>= ${ETHER} WETH to wallet`])
    const share = { ...urPortion({ token: WETH, to: FRIEND, bips: 10n ** 17n }), byte: 0x07 }
    const held = urV3In({ ...swap, version: '2.1', tokens: [USDC, WETH], fees: [500] })
    assert.equal(flowsOf(plan(held, share, urSweep({ token: WETH, to: SENDER, min: 0n }))).receives.length, 2)
    assert.match(refusal(plan({ ...bought, byte: 0x40 })), /Across, is not decoded/)
  })

  test('delivers a purchase on the books in full, or fails', () => {
    const pool = poolKey(USDC, WETH, 3000, 60)
    const buy = v4OutSingle({ version: '2.1', pool, zeroForOne: true, amount: ETHER, limit: SOLD })
    const settle = v4Settle({ token: USDC, amount: 0n, walletPays: true })
    const take = v4Take({ token: WETH, to: SENDER, amount: 0n })
    assert.deepEqual(flowsOf(plan(urV4(buy, settle, take))).receives, [`= ${ETHER} WETH to wallet`])
    assert.deepEqual(flowsOf(older(urV4(buy, settle, take))).receives, ['>= 0 WETH to wallet'])
    const hop = (intermediateCurrency: typeof DAI | typeof USDC) =>
      ({ intermediateCurrency, fee: 500, tickSpacing: 10, hooks: `0x${'0'.repeat(40)}`, hookData: '0x' }) as const
    const path = v4Out({ version: '2.1', end: WETH, path: [hop(USDC), hop(DAI)], amount: ETHER, limit: SOLD })
    assert.deepEqual(flowsOf(plan(urV4(path, settle, take))).receives, [`= ${ETHER} WETH to wallet`])
  })
})

describe('every router', () => {
  test('refuses a plan that somebody signed, in words', () => {
    for (const version of ['1.2', '2.0', '2.1', '2.1.2']) {
      const tx = at(version, '2.0')(urCollect({ token: USDC, to: FRIEND, amount: 5n }))
      assert.match(refusal({ ...tx, data: `0x44684dc3${'00'.repeat(64)}` }), /executeSigned: it carries an intent/)
    }
  })

  test('is registered where it exists, by version', () => {
    const versions = (chainId: number) =>
      ['1.2', '2.0', '2.1', '2.1.2'].map((version) => contractOf(chainId, 'uniswap-universal-router', version))
    for (const chainId of [1, 8453, 42161, 137, 11155111]) {
      const found = versions(chainId)
      assert.equal(new Set(found).size, 4)
      for (const address of found) assert.equal(address && contractAt(chainId, address)?.venue, 'uniswap')
      assert.ok(contractOf(chainId, 'uniswap-v2-router-02'))
      const first = contractOf(chainId, 'uniswap-v3-swap-router')
      assert.equal(first !== undefined, [1, 42161, 137].includes(chainId))
    }
    assert.deepEqual(versions(999), [undefined, undefined, undefined, undefined])
  })
})
