import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Address } from '../../../src/lib/address.ts'
import { gather } from '../../../src/policy/gather.ts'
import { PriceTable } from '../../../src/policy/price-table.ts'
import { usdPrice } from '../../../src/policy/sources/usd-price.ts'
import { sequencerUptimeFeed, usdFeed } from '../../../src/registry/index.ts'
import * as c from './contracts.ts'

const ETH_FEED = feed(1, 'native')
const USDC_FEED = feed(1, c.USDC)
const NOW = new Date('2026-11-21T12:00:00Z')
const SECONDS = Math.floor(NOW.getTime() / 1000)
const HOUR = 3600

let stand: c.ContractsStandIn

function feed(chainId: number, asset: Address | 'native'): Address {
  const found = usdFeed(chainId, asset)
  assert.ok(found)
  return found.feed
}

describe('the source of prices', () => {
  before(async () => {
    stand = await c.startContracts()
  })
  after(() => stand.node.stop())
  beforeEach(() => healthy(stand))

  function healthy({ answer }: c.ContractsStandIn): void {
    answer(ETH_FEED, c.LATEST_ROUND_DATA, c.round(3000_00000000n, SECONDS - 600))
    answer(ETH_FEED, c.DECIMALS, c.uint(8))
    answer(ETH_FEED, c.DESCRIPTION, c.text('ETH / USD'))
    answer(USDC_FEED, c.LATEST_ROUND_DATA, c.round(99_990_000n, SECONDS - 23 * HOUR))
    answer(USDC_FEED, c.DECIMALS, c.uint(8))
    answer(USDC_FEED, c.DESCRIPTION, c.text('USDC / USD'))
  }

  type Options = Readonly<{ now?: () => Date; table?: PriceTable; chainId?: number; url?: string }>

  function source({ now = () => NOW, table, chainId = 1, url = stand.node.url }: Options = {}) {
    return usdPrice({ chains: c.clientsOf({ [chainId]: { url } }), now, table })
  }

  async function priced(one = source(), assets: readonly (Address | 'native')[] = ['native'], chainId = 1) {
    const { prices } = await gather(['prices'], [one], c.question({ chainId, spends: assets.map((a) => c.flow(a)) }))
    assert.ok(prices)
    return prices
  }

  async function reasonWithout(one = source(), assets: readonly (Address | 'native')[] = ['native'], chainId = 1) {
    const fact = await priced(one, assets, chainId)
    assert.equal(fact.status, 'unavailable')
    assert.equal('value' in fact, false)
    assert.doesNotMatch(fact.reason, /127\.0\.0\.1|secret-key|https?:/)
    return fact.reason
  }

  describe('prices from feeds', () => {
    test('every asset of the flows and grants is priced, the wrapped coin as the coin', async () => {
      const asked = c.question({
        spends: [c.flow('native')],
        receives: [c.flow(c.WETH)],
        grants: [{ asset: c.USDC, owner: c.WALLET, spender: c.TARGET, amount: 1n, unlimited: false, expiresAt: null }],
      })
      const { prices } = await gather(['prices'], [source()], asked)
      assert.ok(prices?.status === 'fresh')
      assert.deepEqual(prices.value, {
        native: { usdE8: '300000000000', source: 'Chainlink ETH / USD', updatedAt: '2026-11-21T11:50:00.000Z' },
        [c.WETH]: { usdE8: '300000000000', source: 'Chainlink ETH / USD', updatedAt: '2026-11-21T11:50:00.000Z' },
        [c.USDC]: { usdE8: '99990000', source: 'Chainlink USDC / USD', updatedAt: '2026-11-20T13:00:00.000Z' },
      })
      assert.equal(prices.observedAt, NOW.toISOString())
    })

    test('an asset without a feed is null, and asks nothing', async () => {
      const reads = stand.reads()
      const fact = await priced(source(), [c.OBSCURE])
      assert.ok(fact.status === 'fresh')
      assert.deepEqual(fact.value, { [c.OBSCURE]: null })
      assert.equal(stand.reads(), reads)
    })

    test('decimals and description are read once; for 15 s the last round is used again and called cached', async () => {
      let at = NOW.getTime()
      const one = source({ now: () => new Date(at) })
      const start = stand.reads()
      assert.equal((await priced(one)).status, 'fresh')
      assert.equal(stand.reads() - start, 3)
      at += 14_000
      const again = await priced(one)
      assert.ok(again.status === 'cached')
      assert.equal(again.observedAt, NOW.toISOString())
      assert.equal(stand.reads() - start, 3)
      at += 2_000
      assert.equal((await priced(one)).status, 'fresh')
      assert.equal(stand.reads() - start, 5)
    })

    test('questions at the same time do not mix up their answers', async () => {
      const one = source()
      const facts = await Promise.all([1, 2, 3].map(() => priced(one, ['native', c.USDC])))
      for (const fact of facts) {
        assert.ok(fact.status === 'fresh', JSON.stringify(fact))
        assert.deepEqual([fact.value.native?.usdE8, fact.value[c.USDC]?.usdE8], ['300000000000', '99990000'])
      }
    })

    test('a description counts in any case and spacing', async () => {
      stand.answer(ETH_FEED, c.DESCRIPTION, c.text('Eth/USD'))
      assert.equal((await priced()).status, 'fresh')
    })
  })

  describe('what is never a price', () => {
    const rounds: readonly [string, c.Answer, RegExp][] = [
      ['zero', c.round(0n, SECONDS), /no price/],
      ['a negative number', c.round(-1n, SECONDS), /no price/],
      ['a number beyond any price', c.round(1n << 200n, SECONDS), /no price/],
      ['no date', c.round(1n, 0), /older than its limit of 7200 s/],
      ['older than heartbeat and grace', c.round(1n, SECONDS - 2 * HOUR - 1), /older than its limit/],
      ['more than five minutes ahead', c.round(1n, SECONDS + 301), /future/],
      ['a date of 2^255', `${c.round(1n, 0).slice(0, 194)}8${'0'.repeat(63)}${c.round(1n, 0).slice(258)}`, /future/],
      ['no code', '0x', /right shape/],
      ['one word', c.uint(3000), /right shape/],
      ['a word too many', `${c.round(1n, SECONDS)}${'0'.repeat(64)}`, /right shape/],
      ['a revert', { error: { code: 3, message: 'execution reverted', data: '0x' } }, /right shape/],
      ['a number instead of hex', { result: 3000 }, /wrong shape/],
      ['NaN', { result: 'NaN' }, /wrong shape/],
      ['null', { result: null }, /wrong shape/],
      ['an object', { result: { answer: '3000' } }, /wrong shape/],
      ['half a byte', { result: '0x123' }, /wrong shape/],
      ['an error of the node', { error: { code: -32005, message: 'https://node.example/key over limit' } }, /-32005/],
      ['status 500', { status: 500, body: 'oops https://node.example/key' }, /status 500/],
      ['bad JSON', { status: 200, body: '{"jsonrpc":"2.0","id":' }, /JSON-RPC/],
      ['silence', 'hang', /in time/],
      ['a cut connection', 'hang up', /could not be reached/],
    ]
    for (const [name, answer, reason] of rounds) {
      test(`round: ${name}`, async () => {
        stand.answer(ETH_FEED, c.LATEST_ROUND_DATA, answer)
        assert.match(await reasonWithout(), reason)
      })
    }

    test('at the very limits it still is one', async () => {
      for (const updatedAt of [SECONDS - 2 * HOUR, SECONDS + 300]) {
        stand.answer(ETH_FEED, c.LATEST_ROUND_DATA, c.round(1n, updatedAt))
        assert.equal((await priced()).status, 'fresh')
      }
    })

    test('another pair, other decimals, or no word of either', async () => {
      stand.answer(ETH_FEED, c.DESCRIPTION, c.text('BTC / USD'))
      assert.match(await reasonWithout(), /another pair/)
      stand.answer(ETH_FEED, c.DESCRIPTION, '0x')
      assert.match(await reasonWithout(), /another pair/)
      stand.answer(ETH_FEED, c.DESCRIPTION, c.text('ETH / USD'))
      stand.answer(ETH_FEED, c.DECIMALS, c.uint(18))
      assert.match(await reasonWithout(), /8 decimals/)
      stand.answer(ETH_FEED, c.DECIMALS, '0x')
      assert.match(await reasonWithout(), /8 decimals/)
    })

    test('one bad feed takes the others with it', async () => {
      stand.answer(USDC_FEED, c.LATEST_ROUND_DATA, c.round(0n, SECONDS))
      assert.match(await reasonWithout(source(), ['native', c.USDC]), /USDC \/ USD/)
    })

    test('a bad answer is not kept', async () => {
      const one = source()
      stand.answer(ETH_FEED, c.LATEST_ROUND_DATA, c.round(0n, SECONDS))
      await reasonWithout(one)
      healthy(stand)
      assert.equal((await priced(one)).status, 'fresh')
    })

    test('a cached round that grows too old', async () => {
      let at = NOW.getTime()
      const one = source({ now: () => new Date(at) })
      stand.answer(ETH_FEED, c.LATEST_ROUND_DATA, c.round(1n, SECONDS - 2 * HOUR + 5))
      assert.equal((await priced(one)).status, 'fresh')
      at += 6_000
      assert.match(await reasonWithout(one), /older than its limit/)
    })

    test('a refused connection, a node of another chain, no node at all', async () => {
      const gone = await c.startContracts()
      await gone.node.stop()
      assert.match(await reasonWithout(source({ url: gone.node.url })), /could not be reached/)
      assert.match(await reasonWithout(source({ chainId: 137 }), ['native'], 137), /chain 1, not of chain 137/)
      assert.match(await reasonWithout(source({ chainId: 137 })), /No RPC is configured for chain 1/)
    })
  })

  describe('a rollup whose sequencer is down', () => {
    const BASE = 8453
    const BASE_FEED = feed(BASE, 'native')
    const uptime = sequencerUptimeFeed(BASE)
    assert.ok(uptime)
    let base: c.ContractsStandIn

    before(async () => {
      base = await c.startContracts(BASE)
      base.answer(BASE_FEED, c.LATEST_ROUND_DATA, c.round(3000_00000000n, SECONDS))
      base.answer(BASE_FEED, c.DECIMALS, c.uint(8))
      base.answer(BASE_FEED, c.DESCRIPTION, c.text('ETH / USD'))
    })
    after(() => base.node.stop())

    const states: readonly [string, c.Answer, RegExp][] = [
      ['down', c.round(1n, SECONDS, SECONDS - 2 * HOUR), /is down/],
      ['up for less than an hour', c.round(0n, SECONDS, SECONDS - HOUR + 1), /came back/],
      ['never set', c.round(0n, SECONDS, 0), /unknown state/],
      ['of another value', c.round(2n, SECONDS, SECONDS - 2 * HOUR), /unknown state/],
      ['silent', '0x', /unknown state/],
    ]
    for (const [name, answer, reason] of states) {
      test(name, async () => {
        base.answer(uptime, c.LATEST_ROUND_DATA, answer)
        const one = source({ chainId: BASE, url: base.node.url })
        assert.match(await reasonWithout(one, ['native'], BASE), reason)
        assert.match(await reasonWithout(one, ['native'], BASE), reason)
      })
    }

    test('up for an hour', async () => {
      base.answer(uptime, c.LATEST_ROUND_DATA, c.round(0n, SECONDS, SECONDS - HOUR))
      assert.equal((await priced(source({ chainId: BASE, url: base.node.url }), ['native'], BASE)).status, 'fresh')
    })
  })

  describe('the price table', () => {
    const LOCAL = 31337
    const table = PriceTable.parse({
      asOf: '2026-11-21T11:00:00Z',
      maxAgeSeconds: 7200,
      prices: { [`${LOCAL}:native`]: '3000.00', [`${LOCAL}:${c.OBSCURE}`]: '0.00000001', [`1:${c.USDC}`]: '1' },
    })

    test('prices a chain without feeds; what is in neither is null', async () => {
      const fact = await priced(source({ table }), ['native', c.OBSCURE, c.USDC], LOCAL)
      assert.ok(fact.status === 'cached')
      const of = (usdE8: string) => ({ usdE8, source: 'price table', updatedAt: '2026-11-21T11:00:00.000Z' })
      assert.deepEqual(fact.value, { native: of('300000000000'), [c.OBSCURE]: of('1'), [c.USDC]: null })
      assert.equal(fact.observedAt, '2026-11-21T11:00:00.000Z')
    })

    test('comes before the feed, and leaves the other assets of its chain to the feeds', async () => {
      const fact = await priced(source({ table }), ['native', c.USDC])
      assert.ok(fact.status === 'cached')
      assert.equal(fact.value[c.USDC]?.usdE8, '100000000')
      assert.equal(fact.value.native?.source, 'Chainlink ETH / USD')
    })

    test('is nothing once it is too old or before its time, and does not fall back to the feed', async () => {
      const late = source({ table, now: () => new Date('2026-11-21T13:00:01Z') })
      assert.match(await reasonWithout(late, [c.USDC]), /older than its limit of 7200 s/)
      const early = source({ table, now: () => new Date('2026-11-21T10:54:59Z') })
      assert.match(await reasonWithout(early, [c.USDC]), /future/)
    })

    test('prices the wrapped coin as the coin', async () => {
      const mainnet = PriceTable.parse({ ...table, prices: { '1:native': '2500.5' } })
      const fact = await priced(source({ table: mainnet }), [c.WETH])
      assert.ok(fact.status === 'cached')
      assert.equal(fact.value[c.WETH]?.usdE8, '250050000000')
    })

    test('refuses prices that are none', () => {
      for (const price of ['0', '0.00', '-1', '1e3', 'NaN', '', '1.123456789', '.5', '1,000', 3000]) {
        assert.equal(PriceTable.safeParse({ ...table, prices: { '1:native': price } }).success, false, String(price))
      }
      for (const key of ['native', '0:native', '1:ETH', '1:0xC02AAA39B223FE8D0A0E5C4F27EAD9083C756CC2']) {
        assert.equal(PriceTable.safeParse({ ...table, prices: { [key]: '1' } }).success, false, key)
      }
    })
  })
})
