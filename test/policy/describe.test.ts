import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { amountText, describe as describeAction, partyText } from '../../src/policy/describe.ts'
import type { Facts } from '../../src/policy/facts.ts'
import { valueAction } from '../../src/policy/valuation.ts'
import type { EvmTx } from '../../src/schema/action.ts'
import {
  approveToken,
  buyWeth,
  DAI,
  decoded,
  FRIEND,
  factsOf,
  OBSERVED_AT,
  PERMIT2,
  permitAndSwap,
  priceOf,
  sendNative,
  swap,
  transferFrom,
  UNIVERSAL_ROUTER,
  USDC,
  unavailable,
  WALLET,
  WETH,
} from '../support/actions.ts'

function textOf(tx: EvmTx, change: Facts = {}): string {
  const action = decoded(tx)
  const facts = { ...factsOf(action), ...change }
  return describeAction(action, facts, valueAction(action, facts))
}

const FRIEND_TEXT = '0x0000000000000000000000000000000000F41e4D'

describe('the description of an action', () => {
  it('says from the bytes alone what leaves, what comes back and what it is worth', () => {
    assert.match(textOf(swap()), /100 USDC leaves; at least 0\.0331 WETH comes back; worth \$100\.00\.$/)
    assert.match(
      textOf(buyWeth(10n ** 16n, 31_000_000n)),
      /^At most 31 USDC leaves; 0\.01 WETH comes back; worth \$31\.00\.$/,
    )
    assert.equal(
      textOf(sendNative(FRIEND, 15n * 10n ** 17n)),
      `1.5 ETH leaves; 1.5 ETH goes to ${FRIEND_TEXT}; worth $4,500.00.`,
    )
  })

  it('says whose value leaves', () => {
    assert.equal(
      textOf(transferFrom(USDC, FRIEND, WALLET, 1_234_567_890n)),
      `1,234.56789 USDC of ${FRIEND_TEXT} leaves; 1,234.56789 USDC comes back; worth $1,234.57.`,
    )
  })

  it('shouts about a right without a limit, and says until when others last', () => {
    assert.match(
      textOf(approveToken(DAI, FRIEND, (1n << 256n) - 1n)),
      /^0x0+F41e4D may spend an UNLIMITED amount of DAI; worth/,
    )
    assert.equal(
      textOf(approveToken(USDC, PERMIT2, 5_000_000n)),
      'Permit2 (0x000000000022D473030F116dDEE9F6B43aC78BA3) may spend 5 USDC.',
    )
    assert.match(
      textOf(permitAndSwap(UNIVERSAL_ROUTER, { minOut: 1n })),
      /may spend 100 USDC until 2030-03-17T17:46:40\.000Z;/,
    )
  })

  it('says that a dollar coin is not worth a dollar, as soon as it is 2 % off', () => {
    const at = (dollars: number) => {
      const prices = { [USDC]: priceOf(dollars), [WETH]: priceOf(3_000) }
      return textOf(swap(), {
        prices: { status: 'fresh', source: 'usd-price', observedAt: OBSERVED_AT, value: prices },
      })
    }
    assert.match(at(0.93), /worth \$93\.00; USDC is off its peg at \$0\.93\.$/)
    assert.match(at(1.03), /; USDC is off its peg at \$1\.03\.$/)
    for (const within of [0.98, 1, 1.02]) assert.doesNotMatch(at(within), /peg/)
  })

  it('gives base units and the address of a token whose identity is not known, and no value', () => {
    assert.match(
      textOf(swap(), { tokens: unavailable('token-identity') }),
      /100000000 base units of 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 leaves; .*comes back\.$/,
    )
  })
})

describe('amounts and parties', () => {
  const facts = factsOf(decoded(swap()))

  it('are written with the decimals of their token', () => {
    assert.equal(amountText(USDC, 1_234_567_000_001n, facts), '1,234,567.000001 USDC')
    assert.equal(amountText(WETH, 1n, facts), '0.000000000000000001 WETH')
    assert.equal(amountText('native', 5n, {}), '5 base units of the native coin')
  })

  it('are named by what is known of them', () => {
    const action = decoded(swap())
    assert.equal(partyText(action, WALLET), 'the wallet itself')
    assert.equal(partyText(action, FRIEND), FRIEND_TEXT)
    assert.equal(
      partyText(action, UNIVERSAL_ROUTER),
      'Uniswap Universal Router 2.0 (0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af)',
    )
    assert.equal(partyText({ ...action, chainId: 999 }, UNIVERSAL_ROUTER), '0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af')
  })
})
