import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addresses } from '../../../scripts/local-chain/addresses.ts'
import { toAddress } from '../../../src/lib/address.ts'
import {
  NATIVE,
  ROUTER,
  SENDER,
  tokens,
  universalRouter,
  urPortion,
  urSweep,
  urTransfer,
  urUnwrap,
  urV2In,
  urV2Out,
  urV3In,
  urV3Out,
  urWrap,
  type Version,
  WHOLE_BALANCE,
} from '../../support/encode.ts'
import { decoded, flowsOf, refusal } from './flows.ts'

const { USDC, WETH, DAI } = tokens
const ETHER = 10n ** 18n
/** A token that no list knows. */
const UNLISTED = toAddress('0xE000000000000000000000000000000000000e11')

for (const version of ['2.0', '2.1'] satisfies Version[])
  describe(`Universal Router ${version}: a guard is what the chain enforces`, () => {
    const plan = (...commands: Parameters<typeof universalRouter>[0]['commands']) =>
      universalRouter({ version, commands })
    const sold = { version, walletPays: true, amountIn: 3_000_000_000n }
    const sweep = (min: bigint) => urSweep({ token: WETH, to: SENDER, min })

    test('a sweep, as far as the router reads its minimum: 160 bits', () => {
      const swap = urV3In({ ...sold, recipient: ROUTER, min: 0n, tokens: [USDC, WETH], fees: [500] })
      const most = (1n << 160n) - 1n
      assert.deepEqual(flowsOf(plan(swap, sweep(most))).receives, [`>= ${most} WETH to wallet`])
      for (const min of [1n << 160n, (1n << 160n) + ETHER, 1n << 255n])
        assert.match(refusal(plan(swap, sweep(min))), /bits beyond its width/)
    })

    test('a guard of what is left after a share guards the share too, and nothing between the two', () => {
      const swap = urV3In({ ...sold, recipient: ROUTER, min: 0n, tokens: [USDC, WETH], fees: [500] })
      const portion = (bips: bigint) => urPortion({ token: WETH, to: SENDER.replace(/1$/, '9') as typeof SENDER, bips })
      const feeOf = (...commands: Parameters<typeof universalRouter>[0]['commands']) =>
        decoded(plan(...commands)).legs[0].receives.find(({ party }) => party.endsWith('9'))?.amount
      for (const bips of [1n, 25n, 3_333n, 5_000n, 9_999n])
        for (let min = 1n; min < 40n; min++) {
          let whole = min
          while (whole - (whole * bips) / 10_000n < min) whole++
          assert.equal(feeOf(swap, portion(bips), sweep(min)), (whole * bips) / 10_000n, `${min} after ${bips}`)
        }
      assert.equal(feeOf(swap, portion(5_000n), swap, sweep(40n)), 0n)
      assert.equal(feeOf(swap, portion(10_000n), sweep(40n)), 0n)
    })

    test('native coin is not paid to the wrapped coin, which gives it back to the router', () => {
      const held = { version, value: 10n }
      const pays = [
        urTransfer({ token: NATIVE, to: WETH, amount: 10n }),
        urSweep({ token: NATIVE, to: WETH, min: 0n }),
        urPortion({ token: NATIVE, to: WETH, bips: 10n }),
      ]
      for (const pay of pays)
        assert.match(refusal(universalRouter({ ...held, commands: [pay] })), /comes back to the router/)
      const commands = [urWrap({ to: ROUTER, amount: 10n }), urUnwrap({ to: WETH, min: 0n })]
      assert.match(refusal(universalRouter({ ...held, commands })), /comes back to the router/)
    })

    test('an exact output of v3 is exact; of v2 it may be rounded up', () => {
      const bought = { version, walletPays: true, recipient: SENDER, amountOut: ETHER, max: 4_000_000_000n }
      assert.deepEqual(flowsOf(plan(urV3Out({ ...bought, tokens: [USDC, WETH], fees: [500] }))).receives, [
        `= ${ETHER} WETH to wallet`,
      ])
      assert.deepEqual(flowsOf(plan(urV2Out({ ...bought, path: [USDC, WETH] }))).receives, [
        `>= ${ETHER} WETH to wallet`,
      ])
    })

    test('what v2 computes from an exact output holds only with listed tokens on the way', () => {
      const bought = { version, walletPays: true, recipient: SENDER, amountOut: ETHER, max: 4_000_000_000n }
      const through = (path: (typeof WETH | typeof UNLISTED | typeof USDC | typeof DAI)[]) =>
        flowsOf(plan(urV2Out({ ...bought, path }))).receives
      assert.deepEqual(through([USDC, DAI, WETH]), [`>= ${ETHER} WETH to wallet`])
      assert.deepEqual(through([USDC, UNLISTED, WETH]), ['>= 0 WETH to wallet'])
      assert.deepEqual(through([UNLISTED, WETH]), ['>= 0 WETH to wallet'])
      assert.deepEqual(through([USDC, UNLISTED]), [`>= ${ETHER} ${UNLISTED} to wallet`])
      // An exact input's minimum is checked on the recipient's balance, and that of v3 on what the pools pay.
      const path = [USDC, UNLISTED, WETH]
      const v2 = urV2In({ ...sold, recipient: SENDER, min: ETHER, path })
      const v3 = urV3In({ ...sold, recipient: SENDER, min: ETHER, tokens: path, fees: [500, 500] })
      for (const swap of [v2, v3]) assert.deepEqual(flowsOf(plan(swap)).receives, [`>= ${ETHER} WETH to wallet`])
    })

    test('a pool of v2 sells what a swap before sent it, and what it does not sell is a stranger’s', () => {
      const pair = addresses.pools.v2DaiWeth
      const first = urV3In({ ...sold, recipient: pair, min: 5n, tokens: [USDC, WETH], fees: [500] })
      const second = (path: readonly (typeof WETH | typeof DAI | typeof USDC)[]) =>
        urV2In({ version, walletPays: false, amountIn: WHOLE_BALANCE, recipient: SENDER, min: 7n, path })
      const relayed = flowsOf(plan(first, second([WETH, DAI])))
      assert.deepEqual([relayed.spends, relayed.receives], [['<= 3000000000 USDC of wallet'], ['>= 7 DAI to wallet']])
      assert.deepEqual(flowsOf(plan(first)).receives, [`>= 5 WETH to ${toAddress(pair)}`])
      assert.match(refusal(plan(first, second([WETH, USDC]))), /that the plan does not bring/)
      assert.match(refusal(plan(first, second([DAI, WETH]))), /that the plan does not bring/)
      const other = { ...sold, recipient: addresses.pools.v2UsdcWeth, min: 5n, tokens: [USDC, WETH], fees: [500] }
      assert.match(refusal(plan(urV3In(other), second([WETH, DAI]))), /that the plan does not bring/)
    })

    test('the tokens that a route goes through are touched', () => {
      const route = { tokens: [USDC, DAI, UNLISTED, WETH], fees: [100, 500, 500] }
      const swap = urV3In({ ...sold, recipient: SENDER, min: ETHER, ...route })
      assert.deepEqual(decoded(plan(swap)).touches, [DAI, UNLISTED].map(toAddress))
      const long = Array.from({ length: 15 }, (_, i) => (i % 2 === 0 ? DAI : USDC))
      const through = (tokens: typeof long) =>
        plan(urV2In({ ...sold, recipient: SENDER, min: 1n, path: [...tokens, WETH] }))
      assert.deepEqual(decoded(through(long)).touches, [USDC, DAI].map(toAddress))
      assert.match(refusal(through([UNLISTED, ...long] as typeof long)), /more than 16 tokens/)
    })

    test('an exact input of v2 leaves whole; a pool of v3 that runs dry takes less', () => {
      const v2 = urV2In({ ...sold, recipient: SENDER, min: ETHER, path: [USDC, WETH] })
      const v3 = urV3In({ ...sold, recipient: SENDER, min: ETHER, tokens: [USDC, WETH], fees: [500] })
      assert.deepEqual(flowsOf(plan(v2)).spends, ['= 3000000000 USDC of wallet'])
      assert.deepEqual(flowsOf(plan(v3)).spends, ['<= 3000000000 USDC of wallet'])
    })
  })
