// The client of Hyperliquid: markets of the venue and of builders' dexes, accounts over both, and how much is asked.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { after, before, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import { createHyperliquid } from '../../src/chain/index.ts'
import { ownBudget } from '../../src/chain/weight-budget.ts'
import { DEX, type StandInExchange, startExchange } from '../support/hyperliquid/exchange.ts'
import { volume } from '../support/volume.ts'

const USER = '0x00000000000000000000000000000000000a11ce'
const GOLD = 110_000

describe('the client of Hyperliquid', () => {
  let exchange: StandInExchange
  let clock = 0
  before(async () => {
    exchange = await startExchange()
    exchange.fund(USER, 5_000)
  })
  after(() => exchange.stop())
  beforeEach(() => {
    exchange.asked.length = 0
    exchange.settings.collateralToken = 0
    clock += 1_000_000
  })
  const clientOf = (spend?: (weight: number) => Promise<boolean>) =>
    createHyperliquid({ url: exchange.url, weightPerMinute: 1_000_000, now: () => clock, ...(spend && { spend }) })
  const tifOf = (tif: string) => ({ limit: { tif } })

  test('knows markets of a builder’s dex by their numbers, where they are asked for', async () => {
    const client = clientOf()
    const { markets } = await client.markets()
    assert.deepEqual(
      markets.map(({ id, symbol, dex }) => [id, symbol, dex]),
      [
        ['0', 'BTC', ''],
        ['1', 'ETH', ''],
        ['2', 'HYPE', ''],
      ],
    )
    assert.ok(!exchange.asked.includes('perpDexs'))
    assert.deepEqual(await client.placesOf([String(GOLD), '0', '10001']), ['spot', DEX])
    const all = await client.markets(undefined, [DEX, 'nowhere'])
    assert.deepEqual(
      all.markets.filter(({ dex }) => dex === DEX).map(({ id, symbol, mark }) => [id, symbol, mark]),
      [[String(GOLD), 'xyz:GOLD', '4000']],
    )
  })

  test('knows no market of a number that no dex has, nor of outcomes', async () => {
    const client = clientOf()
    assert.deepEqual(await client.placesOf(['0', '9999']), [])
    assert.deepEqual(await client.placesOf(['10000', '99999']), ['spot'])
    for (const id of ['100000', '100001', '120000', '99990000', '100000000', '100000010', '4294967296'])
      assert.deepEqual(await client.placesOf([id]), [], id)
  })

  test('knows no market whose margin is in another token than dollars', async () => {
    exchange.settings.collateralToken = 235
    const { markets } = await clientOf().markets(undefined, [DEX])
    assert.ok(markets.every(({ dex }) => dex === ''))
  })

  test('asks again when what it knows is too old, and once for all who ask meanwhile', async () => {
    const client = clientOf()
    const both = await Promise.all([client.markets(undefined, [DEX]), client.markets(undefined, [DEX])])
    assert.equal(exchange.asked.length, 3)
    assert.deepEqual(both[0]?.markets, both[1]?.markets)
    clock += 1_999
    assert.equal((await client.markets(undefined, [DEX])).cached, true)
    clock += 1
    assert.equal((await client.markets(undefined, [DEX])).cached, false)
    assert.deepEqual(
      exchange.asked.filter((type) => type === 'perpDexs'),
      ['perpDexs'],
    )
    clock += 600_000
    await client.markets(undefined, [DEX])
    assert.equal(exchange.asked.filter((type) => type === 'perpDexs').length, 2)
  })

  test('reads an account at every dex where it has something', async () => {
    const client = clientOf()
    const first = await client.account(USER)
    assert.deepEqual(first.values, [{ dex: '', value: '5000' }])
    assert.equal(exchange.asked.filter((type) => type === 'frontendOpenOrders').length, 1)
    exchange.book.place(USER, { a: GOLD, b: true, p: '3900', s: '0.1', r: false, t: tifOf('Gtc') })
    assert.deepEqual((await client.account(USER)).orders, [])
    assert.deepEqual(
      (await client.account(USER, undefined, [DEX])).orders.map(({ coin, size }) => [coin, size]),
      [['xyz:GOLD', '0.1']],
    )
    exchange.book.place(USER, { a: GOLD, b: true, p: '4001', s: '0.2', r: false, t: tifOf('Ioc') })
    exchange.book.place(USER, { a: 0, b: false, p: '59000', s: '0.01', r: false, t: tifOf('Ioc') })
    const { positions, orders, values } = await client.account(USER)
    assert.deepEqual(
      positions.map(({ coin, size }) => [coin, size]),
      [
        ['BTC', '-0.01'],
        ['xyz:GOLD', '0.2'],
      ],
    )
    assert.equal(orders.length, 1)
    assert.deepEqual(
      values.map(({ dex }) => dex),
      ['', DEX],
    )
  })

  /** A client of a venue that answers each type of question so. */
  async function clientOfOne(answer: (type: string) => unknown) {
    const server = createServer((request, response) => {
      void json(request).then((body) => response.end(JSON.stringify(answer((body as { type: string }).type))))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const stop = () => {
      server.closeAllConnections()
      server.close()
    }
    return { client: createHyperliquid({ url, weightPerMinute: 1_000, now: () => clock }), stop }
  }

  test('has an order that is filled while it is read once at least: open, or as a position', async () => {
    const coin = 'BTC'
    const order = { coin, side: 'B', limitPx: '1', sz: '1', oid: 1 }
    const position = { coin, szi: '1', leverage: { type: 'cross', value: 2 }, unrealizedPnl: '0' }
    const own = { marginSummary: { accountValue: '5000' }, withdrawable: '0' }
    let filled = false
    const { client, stop } = await clientOfOne((type) => {
      if (type === 'perpDexs') return [null]
      if (type === 'frontendOpenOrders') return filled ? [] : [order]
      const state = { ...own, assetPositions: filled ? [{ position }] : [] }
      filled = true
      return state
    })
    try {
      const { positions, orders } = await client.account(USER)
      assert.ok(positions.length + orders.length > 0)
    } finally {
      stop()
    }
  })

  test('believes no answer about another order, and no number without an end', async () => {
    const told = {
      status: 'order',
      order: { status: 'canceled', order: { oid: 6, sz: '1', origSz: '1', cloid: null } },
    }
    const state = { marginSummary: { accountValue: '9'.repeat(100) }, withdrawable: '0', assetPositions: [] }
    const answers = { orderStatus: told, clearinghouseState: state, perpDexs: [null] }
    const { client, stop } = await clientOfOne((type) => answers[type as keyof typeof answers])
    try {
      assert.deepEqual(await client.order(USER, 6), { known: true, status: 'canceled', oid: 6, left: '1', size: '1' })
      await assert.rejects(client.order(USER, 5), /spoke of another order/)
      await assert.rejects(client.order(USER, `0x${'a'.repeat(32)}`), /spoke of another order/)
      await assert.rejects(client.account(USER), /cannot be read/)
    } finally {
      stop()
    }
  })

  test('asks nothing that its budget does not allow, and says why', async () => {
    const spent: number[] = []
    const client = clientOf(async (weight) => {
      spent.push(weight)
      return spent.length < 2
    })
    await client.markets()
    await assert.rejects(client.order(USER, 5), /may not be asked more often/)
    assert.deepEqual(spent, [20, 2])
    assert.equal(exchange.asked.length, 1)
  })
})

describe('a budget of weight', () => {
  test('holds no more in any minute than is allowed, and all of it in one', async () => {
    const step = fc.record({ wait: fc.nat(20_000), weight: fc.constantFrom(1, 2, 20) })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 20, max: 1_200 }),
        fc.array(step, { maxLength: 200 }),
        async (limit, steps) => {
          let now = 1_000_000
          const spend = ownBudget(limit, () => now)
          assert.ok(await spend(limit))
          assert.ok(!(await spend(1)))
          const spent = [{ at: now, weight: limit }]
          for (const { wait, weight } of steps) {
            now += wait
            const within = spent.filter(({ at }) => at > now - 61_000).reduce((sum, one) => sum + one.weight, 0)
            const had = await spend(weight)
            if (had) spent.push({ at: now, weight })
            else assert.ok(within + weight > limit)
          }
          for (const { at } of spent) {
            const within = spent.filter((one) => one.at >= at && one.at < at + 60_000)
            assert.ok(within.reduce((sum, one) => sum + one.weight, 0) <= limit)
          }
        },
      ),
      { numRuns: volume(100, 2_000), seed: 31 },
    )
  })
})
