// Projected positions equal an independent model, and no order of events leaks a hold or frees it twice.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { CoreOrder } from '../../src/chain/index.ts'
import { followDue } from '../../src/harness/order-follower.ts'
import type { Hex } from '../../src/lib/hash.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { DecodedAction, Leg } from '../../src/policy/decoded-action.ts'
import type { Facts, VenueMarket } from '../../src/policy/facts.ts'
import { orderLeg } from '../../src/policy/hyperliquid-legs.ts'
import { projectMargin } from '../../src/policy/margin.ts'
import { orderValue } from '../../src/policy/order.ts'
import { openStorage } from '../../src/storage/index.ts'
import { newAgent, transactionOf } from '../storage/fixtures.ts'
import { volume } from '../support/volume.ts'

const WALLET = '0x00000000000000000000000000000000000a11ce'
const MARKETS = 3
const observed = { status: 'fresh', source: 'a venue', observedAt: '2026-11-21T00:00:00.000Z' } as const

/** Hundredths, so that the model can count in whole numbers. */
const hundredths = (value: number) => (value / 100).toFixed(2)
const size = fc.integer({ min: 1, max: 5_000 })
const price = fc.integer({ min: 1, max: 5_000_000 })
const side = fc.constantFrom('buy' as const, 'sell' as const)
const order = fc.record({ market: fc.nat(MARKETS - 1), side, size, price, reduceOnly: fc.boolean() })
const book = fc.record({
  marks: fc.array(price, { minLength: MARKETS, maxLength: MARKETS }),
  leverages: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: MARKETS, maxLength: MARKETS }),
  positions: fc.array(fc.integer({ min: -5_000, max: 5_000 }), { minLength: MARKETS, maxLength: MARKETS }),
  open: fc.array(order, { maxLength: 6 }),
  wanted: fc.array(order, { minLength: 1, maxLength: 4 }),
  equity: fc.integer({ min: -1_000, max: 1_000_000 }),
})
type Book = Parameters<Parameters<typeof book.map>[0]>[0]

function worldOf({ marks, leverages, positions, open, wanted, equity }: Book) {
  const mark = (market: number) => hundredths(marks[market] ?? 0)
  const markets = Object.fromEntries(
    marks.map((_, i): [string, VenueMarket] => [
      String(i),
      { symbol: `M${i}`, kind: 'perp', sizeDecimals: 2, mark: mark(i), maxLeverage: 50, leverage: leverages[i] ?? 1 },
    ]),
  )
  const facts: Facts = {
    markets: { ...observed, value: markets },
    margin: {
      ...observed,
      value: {
        equityMicroUsd: String(equity * 10_000),
        positions: positions.map((one, i) => ({
          market: String(i),
          size: hundredths(one),
          mark: mark(i),
          liquidation: null,
        })),
        orders: open.map((one) => ({
          market: String(one.market),
          side: one.side,
          size: hundredths(one.size),
          price: hundredths(one.price),
          reduceOnly: one.reduceOnly,
          cloid: null,
        })),
      },
    },
  }
  const legs = wanted.map(
    (one): Leg =>
      orderLeg({
        market: String(one.market),
        side: one.side,
        size: hundredths(one.size),
        price: hundredths(one.price),
        trigger: null,
        reduceOnly: one.reduceOnly,
        timeInForce: 'Gtc',
        cloid: null,
        account: WALLET,
        feeTo: null,
      }),
  )
  const [first, ...rest] = legs
  assert.ok(first)
  const action: DecodedAction = {
    protocol: 'hyperliquid',
    chainId: 999,
    wallet: WALLET,
    target: null,
    selector: null,
    legs: [first, ...rest],
    touches: [],
    trailingBytes: 0,
  }
  return { facts, action, legs }
}

/** In hundredths of hundredths of a dollar: the worse of all purchases and all sales filled, at the highest price seen. */
function modelOf({ marks, positions, open, wanted }: Book): bigint {
  let total = 0n
  for (let market = 0; market < MARKETS; market++) {
    const mark = marks[market] ?? 0
    const asked = wanted.filter((one) => one.market === market && !one.reduceOnly)
    const resting = open.filter((one) => one.market === market && !one.reduceOnly)
    const all = [...resting, ...asked]
    const sum = (which: string) => all.filter((one) => one.side === which).reduce((n, one) => n + one.size, 0)
    const at = Math.max(mark, ...all.map((one) => one.price))
    const position = positions[market] ?? 0
    total += BigInt(Math.max(Math.abs(position + sum('buy')), Math.abs(position - sum('sell')))) * BigInt(at)
  }
  return total
}

describe('what an account could come to', () => {
  test('is what an independent model says, over random books and orders', () => {
    fc.assert(
      fc.property(book, (world) => {
        const { action, facts, legs } = worldOf(world)
        const projected = projectMargin(action, facts)
        assert.ok(projected)
        assert.equal(projected.notional, modelOf(world) * 100n)
        assert.equal(projected.equity, BigInt(world.equity) * 10_000n)
        for (const [i, leg] of legs.entries()) {
          const one = world.wanted[i]
          assert.ok(one)
          const value = orderValue(leg, facts)
          assert.ok(value)
          const notional = BigInt(one.size * Math.max(one.price, world.marks[one.market] ?? 0)) * 100n
          assert.equal(value.notional, notional)
          const leverage = BigInt(world.leverages[one.market] ?? 1)
          assert.equal(value.held, one.reduceOnly ? 0n : (notional + leverage - 1n) / leverage)
        }
      }),
      { numRuns: volume(1_000, 50_000), seed: 12 },
    )
  })
})

type Event = Readonly<{ kind: 'fill' | 'part' | 'cancel' | 'reject' | 'follow' | 'lose' | 'restart'; order: number }>
const event: fc.Arbitrary<Event> = fc.record({
  kind: fc.constantFrom('fill', 'part', 'cancel', 'reject', 'follow', 'lose', 'restart'),
  order: fc.nat(5),
})

describe('holds of orders', () => {
  test('end once, by the venue’s word, whatever happens in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }),
        fc.array(event, { maxLength: 30 }),
        async (shape, events) => {
          const storage = await openStorage({ url: undefined })
          try {
            const { agentId, wallet } = await newAgent(storage)
            const requests: Hex[] = []
            const orders: { key: string; request: number; status: string; left: number }[] = []
            for (const [request, extra] of shape.entries()) {
              const { requestHash } = await storage.stores.transactions.insert(transactionOf(agentId, wallet))
              requests.push(requestHash)
              await storage.stores.holds.take({
                requestHash,
                wallet,
                microUsd: 1_000n,
                expiresAt: (await storage.now()) + 60_000,
              })
              assert.ok(await storage.stores.holds.keep(requestHash))
              for (let leg = 0; leg <= extra; leg++) {
                const key = `0x${randomBytes(16).toString('hex')}`
                orders.push({ key, request, status: 'open', left: 10 })
                await storage.stores.venueOrders.follow({
                  requestHash,
                  leg,
                  venue: 'hyperliquid',
                  account: wallet,
                  key,
                  placeableUntil: (await storage.now()) + 3_600_000,
                })
              }
            }
            const lost = new Set<string>()
            const venue = {
              async order(_user: string, key: number | string): Promise<CoreOrder> {
                const one = orders.find((candidate) => candidate.key === key)
                if (one === undefined || lost.has(one.key)) return { known: false }
                return { known: true, status: one.status, oid: 1, left: String(one.left), size: '10' }
              },
            }
            const follow = () => followDue({ storage, venue, log: silentLog, everyMs: -1 })
            const held = async () => storage.stores.holds.outflowSince(wallet, (await storage.now()) - 86_400_000)
            for (const { kind, order: at } of events) {
              const one = orders[at % orders.length]
              assert.ok(one)
              const open = one.status === 'open'
              if (kind === 'follow') await Promise.all([follow(), follow()])
              else if (kind === 'lose') lost.add(one.key)
              else if (kind === 'restart') lost.clear()
              else if (open && kind === 'part') one.left = Math.max(1, one.left - 3)
              else if (open && kind === 'fill') [one.status, one.left] = ['filled', 0]
              else if (open) one.status = kind === 'cancel' ? 'canceled' : 'rejected'
              // Whatever is open, or not known to have ended, holds its room.
              const unsettled = new Set(orders.filter((candidate) => candidate.status === 'open').map((c) => c.request))
              assert.ok((await held()) >= BigInt(unsettled.size) * 1_000n)
            }
            lost.clear()
            for (const one of orders) if (one.status === 'open') one.status = 'canceled'
            await follow()
            const spent = requests.filter((_, request) =>
              orders.some((one) => one.request === request && (one.status === 'filled' || one.left < 10)),
            )
            assert.equal(await held(), BigInt(spent.length) * 1_000n)
            assert.equal(await follow(), 0)
            for (const requestHash of requests)
              assert.equal(await storage.stores.holds.settle(requestHash, 'voided'), false)
          } finally {
            await storage.close()
          }
        },
      ),
      { numRuns: volume(40, 1_000), seed: 13 },
    )
  })
})
