// What version 2.1 of the Universal Router has beside 2.0: least prices of hops, and shares of a finer measure.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Command,
  ROUTER,
  SENDER,
  tokens,
  universalRouter,
  urPortion,
  urSweep,
  urV2In,
  urV3In,
  type Version,
} from '../../support/encode.ts'
import { FRIEND, flowsOf, refusal } from './flows.ts'

const { USDC, WETH, DAI } = tokens
const WHOLE = 10n ** 18n

const swap = { version: '2.1', walletPays: true, recipient: SENDER, amountIn: 1_000n, min: 900n } as const
const plan = (commands: readonly Command[], version: Version = '2.1') => universalRouter({ version, commands })

describe('least prices of hops', () => {
  const v3 = (prices: readonly bigint[]) =>
    plan([urV3In({ ...swap, tokens: [USDC, WETH, DAI], fees: [500, 500], prices })])
  const v2 = (prices: readonly bigint[]) => plan([urV2In({ ...swap, path: [USDC, WETH, DAI], prices })])

  test('none, or one a hop; they promise nothing beyond the minimum', () => {
    for (const swapWith of [v3, v2])
      for (const prices of [[], [1n, 2n], [0n, 2n ** 256n - 1n]])
        assert.deepEqual(flowsOf(swapWith(prices)).receives, ['>= 900 DAI to wallet'])
  })

  test('any other number is refused', () => {
    for (const swapWith of [v3, v2])
      for (const count of [1, 3, 8])
        assert.match(refusal(swapWith(Array(count).fill(1n))), new RegExp(`${count} prices for 2 hops`))
  })
})

describe('a share in parts of 1e18', () => {
  const bought = (version: Version) =>
    urV3In({ ...swap, version, tokens: [USDC, WETH], fees: [500], recipient: ROUTER, min: 1_000n })
  const share = (portion: bigint): Command => ({ ...urPortion({ token: WETH, to: FRIEND, bips: portion }), byte: 0x07 })
  const rest = urSweep({ token: WETH, to: SENDER, min: 0n })

  test('is rounded down for whoever it is paid to; the rest is the wallet’s', () => {
    const cases = [
      [WHOLE / 400n, '>= 2 WETH to friend', '>= 998 WETH to wallet'],
      [WHOLE, '>= 1000 WETH to friend', '>= 0 WETH to wallet'],
      [1n, '>= 0 WETH to friend', '>= 1000 WETH to wallet'],
    ] as const
    for (const [portion, fee, remains] of cases)
      assert.deepEqual(
        flowsOf(plan([bought('2.1'), share(portion), rest])).receives.toSorted(),
        [fee, remains].toSorted(),
      )
  })

  test('of nothing, of more than the whole, or with version 2.0 is refused', () => {
    assert.match(refusal(plan([bought('2.1'), share(0n), rest])), /share of 0/)
    assert.match(refusal(plan([bought('2.1'), share(WHOLE + 1n), rest])), /more than the whole/)
    assert.match(
      refusal(plan([bought('2.0'), share(WHOLE / 400n), rest], '2.0')),
      /command 1 \(0x07\): .*version 2\.0 is not decoded/,
    )
  })
})
