// What orders for outcomes may cost equals an independent model, what the tools build is never worse than what was asked
// for, and no order of events at the venue leaks a hold or frees one twice.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { generatePrivateKey } from 'viem/accounts'
import { z } from 'zod'
import { createSigner } from '../../src/chain/signer.ts'
import { predictionOrder as orderFor, tickPrice, wireShares } from '../../src/harness/predictions.ts'
import { predictionOrder } from '../../src/harness/tools/prediction-order.ts'
import { toMicroUsd } from '../../src/lib/usd.ts'
import type { Leg } from '../../src/policy/decoded-action.ts'
import type { Facts } from '../../src/policy/facts.ts'
import { orderValue } from '../../src/policy/order.ts'
import { configureLeg } from '../../src/policy/token-authorizations.ts'
import { openDesk } from '../support/polymarket/desk.ts'
import { type StandInExchange, startExchange } from '../support/polymarket/exchange.ts'
import { volume } from '../support/volume.ts'

const WALLET = '0x00000000000000000000000000000000000a11ce'
const UNIT = 1_000_000n
const observed = { status: 'fresh', source: 'a venue', observedAt: '2026-11-21T00:00:00.000Z' } as const
const text = (units: bigint) => `${units / UNIT}.${(units % UNIT).toString().padStart(6, '0')}`
const ceilDiv = (a: bigint, b: bigint) => (a + b - 1n) / b
const most = (a: bigint, b: bigint) => (a > b ? a : b)

const wanted = fc.record({
  side: fc.constantFrom('buy' as const, 'sell' as const),
  price: fc.bigInt({ min: 1n, max: UNIT - 1n }),
  mid: fc.bigInt({ min: 1n, max: UNIT - 1n }),
  shares: fc.bigInt({ min: 1n, max: 10_000n * UNIT }),
  thousandths: fc.bigInt({ min: 0n, max: 250n }),
  exponent: fc.constantFrom(1, 2),
})

describe('what an order for an outcome may cost', () => {
  test('is what an independent model says, with the fee at its worst', () => {
    fc.assert(
      fc.property(wanted, ({ side, price, mid, shares, thousandths, exponent }) => {
        const order = {
          market: '1',
          side,
          size: text(shares),
          price: text(price),
          trigger: null,
          reduceOnly: false,
          timeInForce: 'GTC',
          cloid: null,
          account: WALLET,
          feeTo: null,
        } as const
        const leg: Leg = { ...configureLeg('polymarket'), kind: 'order', order }
        const fee = { rate: Number(thousandths) / 1_000, exponent }
        const market = {
          symbol: 'a:Yes',
          kind: 'outcome',
          sizeDecimals: 6,
          mark: text(mid),
          maxLeverage: null,
        } as const
        const facts: Facts = { markets: { ...observed, value: { '1': { ...market, leverage: null, fee } } } }
        const value = orderValue(leg, facts)
        assert.ok(value)
        assert.equal(value.held, value.notional)
        const worth = ceilDiv(shares * (side === 'buy' ? price : most(price, mid)), UNIT)
        const half = UNIT / 2n
        const at = side === 'buy' ? (price < half ? price : half) : most(price, half)
        const power = BigInt(exponent)
        const said = ceilDiv(shares * thousandths * (at * (UNIT - at)) ** power, 1_000n * UNIT ** (2n * power))
        const expected = worth + most(ceilDiv(worth * 500n, 10_000n), said)
        assert.ok(value.notional >= expected && value.notional <= expected + 1n, `${value.notional} ${expected}`)
      }),
      { numRuns: volume(2_000, 50_000), seed: 21 },
    )
  })
})

const Built = z.object({ order: z.object({ makerAmount: z.string(), takerAmount: z.string() }) })

describe('what the tools build', () => {
  test('has prices on the tick, sizes in hundredths, and is never worse than what was asked for', () => {
    const asked = fc.record({
      tick: fc.constantFrom('0.1', '0.01', '0.005', '0.0025', '0.001', '0.0001'),
      side: fc.constantFrom('buy' as const, 'sell' as const),
      orderType: fc.constantFrom('GTC' as const, 'FAK' as const, 'FOK' as const),
      price: fc.bigInt({ min: 1n, max: UNIT - 1n }),
      shares: fc.bigInt({ min: UNIT, max: 100_000n * UNIT }),
    })
    const account = { maker: WALLET, signer: WALLET, signatureType: 0 } as const
    fc.assert(
      fc.property(asked, ({ tick, side, orderType, price, shares }) => {
        const rounded = tickPrice(price, tick, side)
        const step = BigInt(Math.round(Number(tick) * 1e6))
        if (!rounded.ok) {
          assert.ok(side === 'buy' ? price < step || price >= UNIT : price > UNIT - step, rounded.reason)
          return
        }
        assert.equal(rounded.value % step, 0n)
        assert.ok(side === 'buy' ? rounded.value <= price : rounded.value >= price)
        const size = wireShares(text(shares), '1')
        assert.ok(size.ok)
        const terms = {
          id: '1',
          outcome: 'Yes',
          negRisk: false,
          tick,
          minSize: '1',
          bid: '0.1',
          ask: '0.9',
          mid: '0.5',
        }
        const order = { side, price: rounded.value, shares: size.value, orderType, expiration: 0 }
        const tx = orderFor(terms, order, { account, now: new Date() })
        if (!tx.ok) return
        const { makerAmount, takerAmount } = Built.parse(tx.value).order
        const [dollars, got] =
          side === 'buy' ? [BigInt(makerAmount), BigInt(takerAmount)] : [BigInt(takerAmount), BigInt(makerAmount)]
        assert.ok(got <= shares)
        const cost = (size.value * rounded.value) / UNIT
        if (side === 'sell' || orderType === 'GTC') {
          assert.deepEqual([got, dollars], [size.value, cost])
          assert.equal(got % 10_000n, 0n)
        } else {
          assert.ok(dollars <= cost && dollars % 10_000n === 0n)
          // Shares are cut to what the venue counts in: the price is at most one such unit of shares off.
          assert.ok((got + 1_000n) * rounded.value >= dollars * UNIT)
        }
      }),
      { numRuns: volume(2_000, 50_000), seed: 22 },
    )
  })
})

const step = fc.record({
  kind: fc.constantFrom(
    'rest',
    'take',
    'part',
    'fill',
    'cancel',
    'end',
    'follow',
    'lose',
    'garble',
    'lie',
    'blind',
    'restart',
  ),
  at: fc.nat(5),
  shares: fc.integer({ min: 5, max: 40 }),
})

describe('holds of orders for outcomes', () => {
  let exchange: StandInExchange
  before(async () => {
    exchange = await startExchange()
  })
  after(() => exchange.stop())

  test('end once, by the venue’s word, whatever happens in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const signer = createSigner(generatePrivateKey())
        exchange.fund(signer.address, 100_000)
        const desk = await openDesk(exchange, signer, { priceBound: { maxDeviationBps: 5_000 } })
        const { book, faults } = exchange
        /** Every order that was approved: its hash at the venue, and what it holds. */
        const placed: { hash: string; cost: bigint }[] = []
        const place = async (price: string, shares: number, fill: string) => {
          const args = { market: 'will-it-rain', outcome: 'Yes', side: 'buy', shares: String(shares), price, fill }
          const tx = await desk.propose(predictionOrder, args)
          assert.ok(typeof tx === 'object', typeof tx === 'string' ? tx : '')
          const { verdict } = await desk.place(tx)
          const hash = verdict.evidence.decodedActions?.[0]?.order?.cloid ?? ''
          placed.push({ hash, cost: toMicroUsd(verdict.usdNotional ?? 0) })
        }
        /** What the venue has, or may have, of an order: then it must hold its room. */
        const counts = ({ hash }: { hash: string }) => {
          const order = book.orders.get(hash)
          return order !== undefined && (order.status === 'LIVE' || order.matched > 0)
        }
        const sum = (list: readonly { cost: bigint }[]) => list.reduce((total, { cost }) => total + cost, 0n)
        try {
          for (const { kind, at, shares } of steps) {
            const hash = placed[at % Math.max(1, placed.length)]?.hash ?? ''
            if (kind === 'rest') await place('0.45', shares, 'rest')
            else if (kind === 'take') await place('0.54', shares, 'what-there-is')
            else if (kind === 'lose' || kind === 'garble' || kind === 'lie') {
              faults.exchange = kind === 'lose' ? 'lose the answer' : kind === 'garble' ? 'garbage' : 'lie'
              await place('0.45', shares, 'rest')
            } else if (kind === 'part') book.fillResting(hash, 1_000_000)
            else if (kind === 'fill') book.fillResting(hash)
            else if (kind === 'cancel') book.cancel(hash)
            else if (kind === 'end') book.cancel(hash, 'INVALID')
            else if (kind === 'restart') await desk.anotherGate().recover()
            else {
              faults.info = kind === 'blind' ? 'garbage' : undefined
              await Promise.all([desk.follow(), desk.follow()])
              faults.info = undefined
            }
            assert.ok((await desk.held()) >= sum(placed.filter(counts)), kind)
          }
          for (const { hash } of placed) book.cancel(hash)
          await desk.gate.recover()
          await desk.follow()
          assert.equal(await desk.held(), sum(placed.filter(counts)))
          assert.equal(await desk.follow(), 0)
        } finally {
          faults.exchange = undefined
          faults.info = undefined
          await desk.close()
        }
      }),
      { numRuns: volume(12, 300), seed: 23 },
    )
  })
})
