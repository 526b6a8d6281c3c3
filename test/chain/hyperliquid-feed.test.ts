// The venue's feed of order updates: what it covers, what it tells, and what becomes of it when the venue goes.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { createOrderFeed, type OrderFeed } from '../../src/chain/index.ts'
import { type StandInExchange, startExchange } from '../support/hyperliquid/exchange.ts'

const USER = '0x00000000000000000000000000000000000a11ce'
const OTHER = '0x00000000000000000000000000000000000000b0'
const CLOID = `0x${'12'.repeat(16)}`

describe('the feed of order updates', () => {
  let exchange: StandInExchange
  let feed: OrderFeed
  let heard: string[]
  beforeEach(async () => {
    exchange = await startExchange()
    exchange.fund(USER, 1_000)
    heard = []
    feed = createOrderFeed({ url: exchange.url, heard: (keys) => heard.push(...keys), pingMs: 20, retryMs: 5 })
  })
  afterEach(async () => {
    feed.stop()
    await exchange.stop()
  })

  /** Waits for what has to become true; the test's own limit ends what does not. */
  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  const place = (price = '59000') =>
    exchange.book.place(USER, { a: 0, b: true, p: price, s: '0.001', r: false, c: CLOID, t: { limit: { tif: 'Gtc' } } })

  test('tells of orders of whom it watches, by both their keys', async () => {
    feed.watch([USER])
    assert.equal(feed.covers(USER), false)
    await until(() => feed.covers(USER))
    assert.equal(feed.covers(OTHER), false)
    place()
    await until(() => heard.length > 0)
    assert.deepEqual(heard, ['1000', CLOID])
  })

  test('opens nothing while nobody is watched, and ends when nobody is any more', async () => {
    feed.watch([])
    assert.equal(exchange.updates.state.opened, 0)
    feed.watch([USER])
    await until(() => feed.covers(USER))
    feed.watch([OTHER])
    assert.equal(feed.covers(USER), false)
    await until(() => feed.covers(OTHER))
    feed.watch([])
    assert.equal(feed.covers(OTHER), false)
    await until(() => exchange.updates.watched().size === 0)
  })

  test('covers nobody once the connection ends, and is opened again', async () => {
    feed.watch([USER])
    await until(() => feed.covers(USER))
    exchange.updates.drop()
    await until(() => exchange.updates.state.opened === 2 && feed.covers(USER))
    place()
    await until(() => heard.length > 0)
  })

  test('covers nobody where it is refused, until it is not', async () => {
    exchange.updates.state.refuse = true
    feed.watch([USER])
    await new Promise((resolve) => setTimeout(resolve, 30))
    assert.equal(feed.covers(USER), false)
    exchange.updates.state.refuse = false
    await until(() => feed.covers(USER))
  })

  test('gives up a connection that says nothing any more', async () => {
    feed.watch([USER])
    await until(() => feed.covers(USER))
    exchange.updates.state.mute = true
    await until(() => exchange.updates.state.opened >= 2 && !feed.covers(USER))
    exchange.updates.state.mute = false
    await until(() => feed.covers(USER))
  })

  test('takes no notice of what it cannot read', async () => {
    feed.watch([USER])
    await until(() => feed.covers(USER))
    for (const text of [
      'not JSON',
      '[]',
      '{"channel":"orderUpdates"}',
      '{"channel":"orderUpdates","data":[{"order":{"oid":"x"}}]}',
      '{"channel":"subscriptionResponse","data":{"method":"subscribe","subscription":{"type":"orderUpdates","user":"0x00000000000000000000000000000000000000b0"}}}',
      `{"channel":"orderUpdates","data":"${'x'.repeat(1_000_001)}"}`,
    ])
      exchange.updates.say(USER, text)
    place()
    await until(() => heard.length > 0)
    assert.deepEqual(heard, ['1000', CLOID])
    assert.equal(feed.covers(OTHER), false)
    assert.equal(exchange.updates.state.opened, 1)
  })
})
