// Where an account would stand: known cases, and the price of liquidation beside one that is searched for.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { DecodedAction, VenueOrder } from '../../src/policy/decoded-action.ts'
import type { Facts, MarginAccount, VenueMarket } from '../../src/policy/facts.ts'
import { controlLeg, orderLeg } from '../../src/policy/hyperliquid-legs.ts'
import { factsToProject, projectionOf } from '../../src/policy/projection.ts'
import { volume } from '../support/volume.ts'

const WALLET = '0x00000000000000000000000000000000000a11ce'
const observed = { status: 'fresh', source: 'a venue', observedAt: '2026-11-21T00:00:00.000Z' } as const
const market = (mark: number, change: Partial<VenueMarket> = {}): VenueMarket => ({
  symbol: 'M',
  kind: 'perp',
  sizeDecimals: 2,
  mark: String(mark),
  maxLeverage: 40,
  leverage: 5,
  ...change,
})

type Position = MarginAccount['positions'][number]
const position = (of: string, size: number, mark: number, change: Partial<Position> = {}): Position => ({
  market: of,
  size: String(size),
  mark: String(mark),
  liquidation: null,
  maxLeverage: 40,
  ...change,
})

function factsOf(markets: Record<string, VenueMarket>, equity: number, positions: readonly Position[] = []): Facts {
  const margin = { equityMicroUsd: String(Math.round(equity * 1e6)), positions, orders: [] }
  return { markets: { ...observed, value: markets }, margin: { ...observed, value: margin } }
}

function orders(...given: readonly (Partial<VenueOrder> & { size: string })[]): DecodedAction {
  const [first, ...rest] = given.map((one) =>
    orderLeg({
      market: '0',
      side: 'buy',
      price: null,
      trigger: null,
      reduceOnly: false,
      timeInForce: 'Gtc',
      cloid: null,
      account: WALLET,
      feeTo: null,
      ...one,
    }),
  )
  assert.ok(first)
  const action = { protocol: 'hyperliquid', chainId: 999, wallet: WALLET, target: null, selector: null } as const
  return { ...action, legs: [first, ...rest], touches: [], trailingBytes: 0 }
}

const endOf = (action: DecodedAction, facts: Facts) => projectionOf(action, facts)?.liquidations[0]

describe('where an account would stand', () => {
  test('is what its positions come to, and what is behind them', () => {
    const facts = factsOf({ '0': market(100) }, 50)
    const projection = projectionOf(orders({ size: '1', price: '101' }), facts)
    assert.deepEqual(projection, {
      notionalUsd: '101',
      equityUsd: '50',
      leverage: '2.02',
      // 50 behind a position that was paid 101: where 50 - 101 + q = q / 80.
      liquidations: [{ market: '0', symbol: 'M', price: '51.646', distanceBps: 4835, why: null }],
    })
    assert.equal(projectionOf(orders({ size: '1', price: '101' }), factsOf({ '0': market(100) }, 0))?.leverage, null)
  })

  test('of a short ends above, of an isolated position by its own margin', () => {
    const short = orders({ size: '1', side: 'sell', price: '100' })
    // Where 50 + 100 - q = q / 80.
    assert.equal(endOf(short, factsOf({ '0': market(100) }, 50))?.price, '148.14')
    const alone = factsOf({ '0': market(100, { backedBy: 'itself' }) }, 5_000)
    // 20 of margin: where 20 - 100 + q = q / 80.
    assert.equal(endOf(orders({ size: '1', price: '100' }), alone)?.price, '81.013')
    assert.equal(endOf(short, alone)?.price, '118.51')
  })

  test('ends nowhere where nothing is left of the position, or where it is covered to the last', () => {
    const facts = factsOf({ '0': market(100) }, 50, [position('0', 1, 100)])
    assert.equal(endOf(orders({ size: '3', side: 'sell', reduceOnly: true }), facts)?.why, 'nothing held')
    assert.equal(endOf(orders({ size: '1', side: 'sell' }), facts)?.why, 'nothing held')
    assert.equal(endOf(orders({ size: '1', price: '100' }), factsOf({ '0': market(100) }, 500))?.why, 'covered')
    assert.equal(
      endOf(orders({ size: '1', reduceOnly: true }), facts)?.price,
      endOf(orders({ size: '0' }), facts)?.price,
    )
  })

  test('is not said where the venue alone knows: other isolated positions, other dexes, unknown accounts', () => {
    const order = orders({ size: '1', price: '100' })
    const beside = (backedBy: 'itself' | 'dex') =>
      factsOf({ '0': market(100) }, 50, [position('1', 1, 7, { backedBy })])
    assert.equal(endOf(order, beside('itself'))?.why, 'unknown')
    assert.equal(endOf(order, beside('dex'))?.why, 'unknown')
    assert.equal(endOf(order, factsOf({ '0': market(100, { backedBy: 'dex' }) }, 50))?.why, 'unknown')
    const held = factsOf({ '0': market(100, { backedBy: 'itself' }) }, 50, [position('0', 1, 100)])
    assert.equal(endOf(order, held)?.why, 'unknown')
    assert.equal(projectionOf(order, {}), undefined)
    assert.equal(projectionOf(order, factsOf({}, 50)), undefined)
    const trust = { ...order, legs: [controlLeg(WALLET, WALLET, true)] } as const
    assert.equal(projectionOf(trust, factsOf({ '0': market(100) }, 50)), undefined)
    assert.deepEqual([factsToProject(order), factsToProject(trust)], [['markets', 'margin'], []])
  })

  test('ends where a search finds what is left to cover only the maintenance margin', () => {
    const whole = (max: number) => fc.integer({ min: 1, max })
    const side = fc.constantFrom('buy' as const, 'sell' as const)
    const wanted = fc.record({ side, size: whole(50), price: whole(200), reduceOnly: fc.boolean() })
    const world = fc.record({
      mark: whole(200),
      max: whole(50),
      held: fc.integer({ min: -50, max: 50 }),
      other: fc.integer({ min: -50, max: 50 }),
      otherMark: whole(200),
      equity: whole(20_000),
      list: fc.array(wanted, { minLength: 1, maxLength: 3 }),
    })
    let found = 0
    fc.assert(
      fc.property(world, ({ mark, max, held, other, otherMark, equity, list }) => {
        const facts = factsOf({ '0': market(mark, { maxLeverage: max }) }, equity, [
          position('0', held, mark, { maxLeverage: max }),
          position('1', other, otherMark, { maxLeverage: 10 }),
        ])
        const action = orders(...list.map((one) => ({ ...one, size: String(one.size), price: String(one.price) })))
        let size = held
        let own = (q: number) => equity + held * (q - mark)
        for (const one of list) {
          const sign = one.side === 'buy' ? 1 : -1
          const most = one.reduceOnly ? (Math.sign(size) === -sign ? Math.abs(size) : 0) : Number.POSITIVE_INFINITY
          const change = sign * Math.min(one.size, most)
          const before = own
          own = (q) => before(q) + change * (q - one.price)
          size += change
        }
        const left = (q: number) => own(q) - (Math.abs(size) * q) / (2 * max) - (Math.abs(other) * otherMark) / 20
        const said = endOf(action, facts)
        assert.ok(said)
        if (said.price === null) {
          assert.equal(said.why, size === 0 ? 'nothing held' : 'covered')
          assert.ok(size === 0 || (size > 0 ? left(1e-6) >= -1e-3 : left(1e-6) <= 1e-3))
          return
        }
        found += 1
        let [low, high] = [0, 1e9]
        for (let i = 0; i < 200; i++) {
          const middle = (low + high) / 2
          if (size > 0 === left(middle) > 0) high = middle
          else low = middle
        }
        const price = Number(said.price)
        assert.ok(Math.abs(price - low) <= Math.max(low * 1e-3, 1e-4), `${price} beside ${low}`)
        assert.ok(size > 0 ? price >= low - 1e-6 : price <= low + 1e-6)
        const away = ((size > 0 ? mark - low : low - mark) / mark) * 10_000
        assert.ok(Math.abs((said.distanceBps ?? -1) - Math.max(0, away)) <= 1.01)
      }),
      { numRuns: volume(1_000, 50_000), seed: 41 },
    )
    assert.ok(found > 100)
  })
})
