// Orders are followed by asking, and by the venue's feed where it can be had: a hint has an order asked about at once, and
// ends none.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { createHyperliquid, createOrderFeed, type Hyperliquid } from '../../src/chain/index.ts'
import { followDue } from '../../src/harness/order-follower.ts'
import { silentLog } from '../../src/lib/log.ts'
import { followOrdersOf, hyperliquidOf, type OrderFollowing } from '../../src/process/order-following.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { newAgent, transactionOf } from '../storage/fixtures.ts'
import { type StandInExchange, startExchange } from '../support/hyperliquid/exchange.ts'

describe('following orders', () => {
  let exchange: StandInExchange
  let storage: Storage
  let venue: Hyperliquid
  let following: OrderFollowing
  let user: Awaited<ReturnType<typeof newAgent>>['wallet']
  beforeEach(async () => {
    exchange = await startExchange()
    storage = await openStorage({ url: undefined })
    venue = createHyperliquid({ url: exchange.url, weightPerMinute: 1_000_000, now: () => Date.now() })
    const { sources } = { sources: { hyperliquid: { url: exchange.url, weightPerMinute: 1_000 } } } as never
    following = followOrdersOf({
      storage,
      venue,
      venues: [],
      config: { sources },
      log: silentLog,
      feed: (heard) => createOrderFeed({ url: exchange.url, heard, pingMs: 1_000, retryMs: 5 }),
    })
  })
  afterEach(async () => {
    await following.stop()
    await storage.close()
    await exchange.stop()
  })

  async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 2))
  }

  /** An order that rests at the venue, and holds a thousand micro-USD. */
  async function rests(): Promise<Readonly<{ cloid: string; state: () => Promise<string | undefined> }>> {
    const { agentId, wallet } = await newAgent(storage)
    user = wallet
    exchange.fund(wallet, 1_000)
    const { requestHash } = await storage.stores.transactions.insert(transactionOf(agentId, wallet))
    const expiresAt = (await storage.now()) + 60_000
    await storage.stores.holds.take({ requestHash, wallet, microUsd: 1_000n, expiresAt })
    assert.ok(await storage.stores.holds.keep(requestHash))
    const cloid = `0x${randomBytes(16).toString('hex')}`
    const order = { a: 0, b: true, p: '59000', s: '0.001', r: false, c: cloid, t: { limit: { tif: 'Gtc' } } }
    exchange.book.place(wallet, order)
    const placeableUntil = (await storage.now()) + 3_600_000
    const followed = { requestHash, leg: 0, venue: 'hyperliquid', account: wallet, key: cloid, placeableUntil }
    await storage.stores.venueOrders.follow(followed)
    const state = async () => (await storage.stores.venueOrders.ofRequest(requestHash))[0]?.state
    return { cloid, state }
  }
  const held = async () => storage.stores.holds.outflowSince(user, (await storage.now()) - 86_400_000)
  const questions = () => exchange.asked.filter((type) => type === 'orderStatus').length
  const covered = () => until(() => exchange.updates.watched().has(user))

  test('ends an order when the venue tells of it and says so, before any round', async () => {
    const { cloid, state } = await rests()
    await following.follow()
    await covered()
    const before = questions()
    exchange.book.cancel(user, cloid)
    await until(async () => (await state()) === 'ended')
    assert.equal(questions(), before + 1)
    assert.equal(await held(), 0n)
  })

  test('believes no hint: an order goes on until the venue answers that it ended', async () => {
    const { cloid, state } = await rests()
    await following.follow()
    await covered()
    const before = questions()
    const filled = { coin: 'BTC', side: 'B', limitPx: '59000', sz: '0.0', oid: 1_000, origSz: '0.001', cloid }
    const data = [{ order: filled, status: 'filled', statusTimestamp: 0 }]
    exchange.updates.say(user, JSON.stringify({ channel: 'orderUpdates', data }))
    await until(() => questions() > before)
    await following.stop()
    assert.equal(await state(), 'open')
    assert.equal(await held(), 1_000n)
  })

  test('asks about what it was told of, however much else it is told', async () => {
    const { cloid, state } = await rests()
    exchange.book.cancel(user, cloid)
    const flood = Array.from({ length: 100_000 }, (_, n) => (n === 1_500 ? cloid : String(n)))
    const flooded = followOrdersOf({
      storage,
      venue,
      venues: [],
      config: { sources: {} } as never,
      log: silentLog,
      feed(heard) {
        for (let from = 0; from < flood.length; from += 1_000) heard(flood.slice(from, from + 1_000))
        return { watch: () => undefined, covers: () => false, stop: () => undefined }
      },
    })
    await until(async () => (await state()) === 'ended')
    await flooded.stop()
    assert.equal(await held(), 0n)
  })

  test('asks about what it is told of rarely, and about all else in each round', async () => {
    await rests()
    const round = (told?: string) => {
      const toldOf = told === undefined ? {} : { toldOf: { venue: told, accounts: [user] } }
      return followDue({ storage, venue, log: silentLog, everyMs: -1, ...toldOf })
    }
    // What was never asked about is asked about once.
    await round('hyperliquid')
    assert.equal(questions(), 1)
    await round('hyperliquid')
    assert.equal(questions(), 1)
    // Another venue's word is about its own orders alone.
    await round('polymarket')
    assert.equal(questions(), 2)
    await round()
    assert.equal(questions(), 3)
    assert.deepEqual(await storage.stores.venueOrders.openAccounts('hyperliquid', 10), [user])
    assert.deepEqual(await storage.stores.venueOrders.openAccounts('polymarket', 10), [])
  })

  test('goes on asking where there is no feed', async () => {
    exchange.updates.state.refuse = true
    const { cloid, state } = await rests()
    exchange.book.cancel(user, cloid)
    await until(async () => (await following.follow()) === 1)
    assert.equal(await state(), 'ended')
    assert.equal(await held(), 0n)
  })

  test('shares one budget among processes of a database', async () => {
    const config = { sources: { hyperliquid: { url: exchange.url, weightPerMinute: 60 } } } as never
    const [one, other] = [hyperliquidOf(config, storage), hyperliquidOf(config, storage)]
    const asked = await Promise.allSettled([one.markets(), other.markets(), one.markets(undefined, ['spot'])])
    assert.deepEqual(
      asked.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled'],
    )
    await assert.rejects(other.markets(undefined, ['spot']), /may not be asked more often/)
    await storage.close()
    const closed = hyperliquidOf(config, storage)
    await assert.rejects(closed.markets(), /may not be asked more often/)
  })
})
