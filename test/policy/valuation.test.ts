import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { DecodedAction } from '../../src/policy/decoded-action.ts'
import type { Facts } from '../../src/policy/facts.ts'
import { factsToValue, openGrants, valueAction } from '../../src/policy/valuation.ts'
import type { EvmTx } from '../../src/schema/action.ts'
import {
  approveToken,
  decoded,
  FRIEND,
  factsOf,
  OBSERVED_AT,
  PERMIT2,
  permitAndSwap,
  priceOf,
  sendNative,
  swap,
  transfer,
  UNIVERSAL_ROUTER,
  USDC,
  unavailable,
  unwrap,
  WALLET,
  WETH,
  wrap,
} from '../support/actions.ts'
import { account, borrowLeg, lending, positionsOf, repayLeg, supplyLeg, withdrawLeg } from '../support/lending.ts'

const dollar = 1_000_000n

function valueOf(tx: EvmTx, change: Facts = {}) {
  const action = decoded(tx)
  return valueAction(action, { ...factsOf(action), ...change })
}

const pricesOf = (value: Record<string, ReturnType<typeof priceOf> | null>): Facts => ({
  prices: { status: 'fresh', source: 'usd-price', observedAt: OBSERVED_AT, value },
})

describe('the value of an action', () => {
  it('is all that leaves, and counts as outflow', () => {
    const { notional, outflow, legs } = valueOf(swap())
    assert.deepEqual([notional, outflow], [100n * dollar, 100n * dollar])
    assert.deepEqual(legs, [{ spent: 100n * dollar, received: 99_300_000n }])
    assert.equal(valueOf(sendNative(FRIEND, 10n ** 18n)).notional, 3_000n * dollar)
  })

  it('of a right for a known contract is none: it spends only for who calls it', () => {
    const { notional, outflow } = valueOf(approveToken(USDC, PERMIT2, (1n << 256n) - 1n))
    assert.deepEqual([notional, outflow], [null, 0n])
  })

  it('of a right for anybody else is all of it', () => {
    assert.equal(valueOf(approveToken(USDC, FRIEND, 5n * dollar)).notional, 5n * dollar)
    assert.equal(valueOf(approveToken(USDC, FRIEND, 0n)).notional, null)
    const both = valueOf(permitAndSwap(FRIEND, { minOut: 1n }))
    assert.deepEqual([both.notional, both.outflow], [200n * dollar, 200n * dollar])
    assert.equal(valueOf(permitAndSwap(UNIVERSAL_ROUTER, { minOut: 1n })).notional, 100n * dollar)
  })

  it('that only changes its form is no outflow', () => {
    for (const tx of [wrap(10n ** 18n), unwrap(10n ** 18n)]) {
      const { notional, outflow } = valueOf(tx)
      assert.deepEqual([notional, outflow], [3_000n * dollar, 0n])
    }
  })

  it('that changes its form for somebody else is outflow', () => {
    const action = decoded(wrap(10n ** 18n))
    const [leg] = action.legs
    const elsewhere: DecodedAction = {
      ...action,
      legs: [{ ...leg, receives: leg.receives.map((flow) => ({ ...flow, party: FRIEND })) }],
    }
    assert.equal(valueAction(elsewhere, factsOf(elsewhere)).outflow, 3_000n * dollar)
  })

  it('is unknown, and never nothing, where a price or an identity is missing', () => {
    const cases: readonly Facts[] = [
      { prices: unavailable('usd-price') },
      { tokens: unavailable('token-identity') },
      pricesOf({ [USDC]: null }),
      pricesOf({}),
      pricesOf({ [USDC]: priceOf(0) }),
      pricesOf({ [USDC]: priceOf(-1) }),
    ]
    for (const facts of cases) {
      const { notional, outflow, missing } = valueOf(transfer(USDC, FRIEND, dollar), facts)
      assert.deepEqual([notional, outflow, missing], [undefined, undefined, [USDC]], JSON.stringify(facts))
    }
  })

  it('of nothing is nothing, whatever is known of the token', () => {
    assert.equal(valueOf(transfer(USDC, FRIEND, 0n), pricesOf({})).notional, 0n)
  })

  it('is rounded up for what leaves and down for what arrives, never in the caller’s favour', () => {
    const amounts = fc.bigInt(1n, 10n ** 24n)
    const property = fc.property(
      amounts,
      amounts,
      fc.integer({ min: 1, max: 10 ** 9 }),
      (amountIn, minOut, priceE4) => {
        const price = priceOf(priceE4 / 10_000)
        const { notional, legs } = valueOf(swap({ amountIn, minOut }), pricesOf({ [USDC]: price, [WETH]: price }))
        const scaled = BigInt(price.usdE8)
        assert.ok(notional !== undefined && notional !== null && legs[0]?.received !== undefined)
        assert.ok(notional * 10n ** 8n >= amountIn * scaled && (notional - 1n) * 10n ** 8n < amountIn * scaled)
        const { received } = legs[0]
        assert.ok(received * 10n ** 20n <= minOut * scaled && (received + 1n) * 10n ** 20n > minOut * scaled)
      },
    )
    fc.assert(property, { seed: 2, numRuns: 200 })
  })

  it('of several legs is at least that of the whole', () => {
    const property = fc.property(fc.array(fc.bigInt(1n, 10n ** 12n), { minLength: 1, maxLength: 6 }), (amounts) => {
      const facts = pricesOf({ [WETH]: { usdE8: '333333333333', source: 'a feed', updatedAt: OBSERVED_AT } })
      const one = decoded(
        transfer(
          WETH,
          FRIEND,
          amounts.reduce((sum, amount) => sum + amount, 0n),
        ),
      )
      const [first, ...rest] = amounts.map((amount) => decoded(transfer(WETH, FRIEND, amount)).legs[0])
      assert.ok(first)
      const split: DecodedAction = { ...one, legs: [first, ...rest] }
      const notional = (action: DecodedAction) => valueAction(action, { ...factsOf(action), ...facts }).notional
      assert.ok((notional(split) ?? 0n) >= (notional(one) ?? 1n))
    })
    fc.assert(property, { seed: 2, numRuns: 100 })
  })
})

describe('open grants', () => {
  it('are those that somebody can use by himself', () => {
    const grants = (tx: EvmTx) => {
      const action = decoded(tx)
      return action.legs.flatMap((leg) => openGrants(action, leg)).map(({ spender }) => spender)
    }
    assert.deepEqual(grants(approveToken(USDC, FRIEND, 1n)), [FRIEND])
    assert.deepEqual(grants(approveToken(USDC, UNIVERSAL_ROUTER, 1n)), [])
    assert.deepEqual(grants(approveToken(USDC, FRIEND, 0n)), [])
  })
})

describe('the value of what a venue keeps', () => {
  const worth = (action: DecodedAction, change: Facts = {}) => {
    const { notional, outflow } = valueAction(action, { ...factsOf(action), ...change })
    return [notional, outflow]
  }
  const amount = 100n * dollar

  it('is an outflow on its way in: it left the wallet, in whoever’s name it lies there', () => {
    for (const party of [WALLET, FRIEND]) {
      assert.deepEqual(worth(lending(supplyLeg({ amount, party }))), [amount, amount])
      assert.deepEqual(worth(lending(repayLeg({ amount, party }))), [amount, amount])
    }
  })

  it('is none on its way back to the wallet', () => {
    for (const leg of [withdrawLeg({ amount }), borrowLeg({ amount })])
      assert.deepEqual(worth(lending(leg)), [amount, 0n])
  })

  it('is one on its way to anybody else', () => {
    for (const leg of [withdrawLeg, borrowLeg]) {
      assert.deepEqual(worth(lending(leg({ amount, to: FRIEND }))), [amount, amount])
      assert.deepEqual(worth(lending(leg({ amount, party: FRIEND }))), [amount, amount])
    }
  })

  it('is one where nobody is known to receive it', () => {
    const leg = { ...withdrawLeg({ amount }), receives: [] }
    assert.deepEqual(worth(lending(leg)), [amount, amount])
  })

  it('is none where it pays the wallet’s own debt there', () => {
    const { positions: [debt] = [] } = repayLeg({ amount })
    const { positions: [deposit] = [] } = withdrawLeg({ amount })
    assert.ok(debt && deposit)
    const leg = { ...repayLeg({ amount }), spends: [], positions: [deposit, debt] }
    assert.deepEqual(worth(lending(leg)), [amount, 0n])
    const stranger = { ...leg, positions: [deposit, { ...debt, party: FRIEND }] }
    assert.deepEqual(worth(lending(stranger)), [amount, amount])
  })

  it('of all there is comes from the venue, and is unknown without its word', () => {
    const all = lending(withdrawLeg({ amount: null }))
    assert.deepEqual(worth(all, positionsOf(account({ amount: 7n * dollar, usd: 7 }))), [7n * dollar, 0n])
    assert.deepEqual(worth(all, positionsOf(account(null))), [0n, 0n])
    assert.deepEqual(worth(all), [undefined, undefined])
    assert.deepEqual(worth(all, { positions: unavailable('positions') }), [undefined, undefined])
    const others = lending(withdrawLeg({ amount: null, party: FRIEND }))
    assert.deepEqual(worth(others, positionsOf(account({ amount: 7n * dollar, usd: 7 }))), [undefined, undefined])
  })

  it('takes the positions only where an amount is not named', () => {
    assert.deepEqual(factsToValue(lending(withdrawLeg({ amount: null }))), ['tokens', 'prices', 'positions'])
    assert.deepEqual(factsToValue(lending(withdrawLeg({ amount }))), ['tokens', 'prices'])
    assert.deepEqual(factsToValue(decoded(swap())), ['tokens', 'prices'])
  })
})
