// What is believed of the venue: answers that agree, of markets that trade, and nothing that is silent or in no form.
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { createPolymarket, type Polymarket } from '../../src/chain/index.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import { type StandInExchange, startExchange, TOKENS } from '../support/polymarket/exchange.ts'

const [YES] = TOKENS.rain

describe('the client of Polymarket', () => {
  let exchange: StandInExchange
  let clock = 0
  let venue: Polymarket
  before(async () => {
    exchange = await startExchange()
    const { url } = exchange
    venue = createPolymarket({ url, marketsUrl: url, dataUrl: url, now: () => clock })
  })
  after(() => exchange.stop())
  afterEach(() => {
    exchange.twist.of = undefined
    exchange.faults.info = undefined
    // What was read is not read again for a while.
    clock += 10_000
  })

  const fails = (what: RegExp) => (thrown: unknown) =>
    thrown instanceof CountersignError && thrown.code === 'unavailable' && what.test(thrown.message)

  /** Changes members of what is answered at paths that begin so. */
  function twisted(prefix: string, change: object) {
    exchange.twist.of = (path, body) =>
      path.startsWith(prefix) && typeof body === 'object' ? { ...body, ...change } : undefined
  }

  test('says what a token is, where it trades, and for how much', async () => {
    const { market, cached } = await venue.market(YES)
    assert.deepEqual(market, {
      id: YES,
      slug: 'will-it-rain',
      question: 'will it rain?',
      outcome: 'Yes',
      negRisk: false,
      tick: '0.01',
      minSize: '5',
      fee: { rate: 0, exponent: 0 },
      bid: '0.51',
      ask: '0.53',
      mid: '0.52',
    })
    assert.equal(cached, false)
    assert.equal((await venue.market(YES)).cached, true)
    clock += 3_000
    assert.equal((await venue.market(YES)).cached, false)
    assert.equal((await venue.market('12345')).market, null)
  })

  test('believes no answers that contradict each other', async () => {
    const other = `0x${'e'.repeat(64)}`
    for (const [prefix, change] of [
      ['/book', { neg_risk: true }],
      ['/book', { tick_size: '0.001' }],
      ['/book', { market: other }],
      ['/book', { asset_id: TOKENS.rain[1] }],
      ['/clob-markets/', { nr: true }],
      ['/clob-markets/', { mts: 0.1 }],
      ['/clob-markets/', { t: [TOKENS.election[0], TOKENS.election[1]].map((t) => ({ t, o: 'Yes' })) }],
      ['/markets/', { condition_id: other }],
      ['/markets/', { tokens: TOKENS.rain.map((token_id, i) => ({ token_id, outcome: i === 0 ? 'No' : 'Yes' })) }],
    ] as const) {
      twisted(prefix, change)
      await assert.rejects(venue.market(YES), fails(/contradicts itself/), JSON.stringify([prefix, change]))
      clock += 10_000
    }
  })

  test('has no price where nobody bids or asks, and no market that takes no orders', async () => {
    const level = (price: string) => ({ price, size: '10' })
    for (const change of [
      { bids: [] },
      { asks: [] },
      { bids: [level('0.6')], asks: [level('0.5')] },
      { bids: [level('0')], asks: [level('0.5')] },
      { asks: [level('1')] },
    ]) {
      twisted('/book', change)
      await assert.rejects(venue.market(YES), fails(/no price/), JSON.stringify(change))
      clock += 10_000
    }
    twisted('/clob-markets/', { ao: false })
    await assert.rejects(venue.market(YES), fails(/takes no orders/))
  })

  test('finds the best prices in any order of levels', async () => {
    const levels = (...prices: string[]) => prices.map((price) => ({ price, size: '1' }))
    twisted('/book', { bids: levels('0.1', '0.49', '0.3'), asks: levels('0.9', '0.5', '0.7') })
    const { market } = await venue.market(YES)
    assert.deepEqual([market?.bid, market?.ask, market?.mid], ['0.49', '0.5', '0.495'])
  })

  test('throws nothing but that it is unavailable, and names no address', async () => {
    for (const fault of ['lose the answer', 'garbage', 'refuse', 'lie'] as const) {
      exchange.faults.info = fault
      await assert.rejects(venue.market(YES), fails(/^Polymarket /), fault)
      await assert.rejects(venue.holdings('0x00000000000000000000000000000000000a11ce'), fails(/^Polymarket /), fault)
      if (fault !== 'lie') await assert.rejects(venue.search('rain'), fails(/^Polymarket [^:/]+$/), fault)
      clock += 10_000
    }
  })

  test('leaves out of its lists what is in no form', async () => {
    assert.equal((await venue.listed('will-it-rain'))?.outcomes.length, 2)
    assert.equal(await venue.listed('no-such'), undefined)
    exchange.twist.of = (path, body) =>
      path === '/markets' && Array.isArray(body)
        ? [{ slug: 'will-it-rain', outcomes: 'no list' }, ...body.map((one: object) => ({ ...one, closed: true }))]
        : undefined
    assert.equal(await venue.listed('will-it-rain'), undefined)
  })

  test('reads all that an account has', async () => {
    exchange.book.accountOf('0x00000000000000000000000000000000000a11ce').shares.set(YES, 12_500_000)
    const held = await venue.holdings('0x00000000000000000000000000000000000a11ce')
    assert.deepEqual(held, [{ id: YES, size: '12.500000', price: '0.520000' }])
    exchange.twist.of = (path) => (path === '/positions' ? [{ asset: YES, size: 1e21, curPrice: 0.5 }] : undefined)
    await assert.rejects(venue.holdings('0x00000000000000000000000000000000000a11ce'), fails(/cannot be read/))
  })
})
