// The second opinion on prices: what a pool pays can make a price unavailable, and is never the price.
import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { encodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { Address } from '../../../../src/lib/address.ts'
import type { Asset } from '../../../../src/policy/decoded-action.ts'
import { gather } from '../../../../src/policy/gather.ts'
import { usdPrice } from '../../../../src/policy/sources/usd-price.ts'
import { poolFactoryOf, usdFeed } from '../../../../src/registry/index.ts'
import * as c from '../contracts.ts'

const abi = parseAbi([
  'function getPool(address,address,uint24)',
  'function balanceOf(address)',
  'function slot0()',
  'function observe(uint32[])',
])
const FACTORY = poolFactoryOf(1)
assert.ok(FACTORY)
const factory = FACTORY
const POOL: Address = '0xa00000000000000000000000000000000000000a'
const SHALLOW: Address = '0xb00000000000000000000000000000000000000b'
const NOW = new Date('2026-11-21T12:00:00Z')
const SECONDS = NOW.getTime() / 1000
const SLOT0 = encodeFunctionData({ abi, functionName: 'slot0' })
const OBSERVE = encodeFunctionData({ abi, functionName: 'observe', args: [[600, 0]] })

let stand: c.ContractsStandIn | undefined

function must(): c.ContractsStandIn {
  assert.ok(stand)
  return stand
}

const getPool = (fee: number, a = c.WETH, b = c.USDC): Hex =>
  encodeFunctionData({ abi, functionName: 'getPool', args: [a, b, fee] })
const balanceOf = (owner: Address): Hex => encodeFunctionData({ abi, functionName: 'balanceOf', args: [owner] })

/** USDC for one WETH, as the pool's square root: USDC sorts first, so the pool counts WETH in USDC. */
function trades(pool: Address, usd: number): void {
  const root = BigInt(Math.floor(Math.sqrt((1e18 / usd / 1e6) * 1) * 2 ** 96))
  must().answer(pool, SLOT0, `0x${[root, 0n, 0n, 1n, 1n, 0n, 1n].map((word) => c.uint(word).slice(2)).join('')}`)
}

/** The same over ten minutes, as the ticks that the pool remembers. */
function traded(pool: Address, usd: number): void {
  const tick = Math.floor(Math.log(1e18 / usd / 1e6) / Math.log(1.0001))
  const sums = [5_000_000n, 5_000_000n + BigInt(tick) * 600n]
  const types = [{ type: 'int56[]' }, { type: 'uint160[]' }] as const
  must().answer(pool, OBSERVE, encodeAbiParameters(types, [sums, [1n, 2n]]))
}

describe('the second opinion on prices', () => {
  beforeEach(async () => {
    await stand?.node.stop()
    stand = await c.startContracts()
    for (const [asset, pair, answer] of [
      [c.USDC, 'USDC / USD', 1_00000000n],
      ['native', 'ETH / USD', 3_000_00000000n],
    ] as const) {
      const feed = usdFeed(1, asset)?.feed
      assert.ok(feed)
      stand.answer(feed, c.LATEST_ROUND_DATA, c.round(answer, SECONDS))
      stand.answer(feed, c.DECIMALS, c.uint(8))
      stand.answer(feed, c.DESCRIPTION, c.text(pair))
    }
    stand.answer(factory, getPool(3000), c.uint(BigInt(SHALLOW)))
    stand.answer(factory, getPool(500), c.uint(BigInt(POOL)))
    stand.answer(c.USDC, balanceOf(POOL), c.uint(50_000_000n * 10n ** 6n))
    stand.answer(c.USDC, balanceOf(SHALLOW), c.uint(99_999n * 10n ** 6n))
    trades(SHALLOW, 1)
    trades(POOL, 3_000)
  })
  after(() => stand?.node.stop())

  function source(now = () => NOW) {
    return usdPrice({ chains: c.clientsOf({ 1: must().node }), now })
  }

  async function priced(one = source(), assets: readonly Asset[] = ['native']) {
    const { prices } = await gather(['prices'], [one], c.question({ spends: assets.map((asset) => c.flow(asset)) }))
    assert.ok(prices)
    return prices
  }

  async function price(one = source(), asset: Asset = 'native') {
    const fact = await priced(one, [asset])
    assert.ok(fact.status !== 'unavailable', JSON.stringify(fact))
    return fact.value[asset]
  }

  async function refusal(one = source()): Promise<string> {
    const fact = await priced(one)
    assert.ok(fact.status === 'unavailable', JSON.stringify(fact))
    return fact.reason
  }

  describe('a pool that agrees', () => {
    test('is named beside the price, which stays the feed’s', async () => {
      trades(POOL, 3_200)
      const found = await price()
      assert.equal(found?.usdE8, '300000000000')
      assert.equal(found?.pool?.address, POOL)
      assert.ok(Math.abs(Number(found.pool.usdE8) / 1e8 - 3_200) < 1, found.pool.usdE8)
    })

    test('agrees within a tenth, either way', async () => {
      for (const [usd, agrees] of [
        [3_299, true],
        [3_302, false],
        [2_701, true],
        [2_698, false],
        [30, false],
        [3_000_000, false],
      ] as const) {
        trades(POOL, usd)
        const fact = await priced()
        assert.equal(fact.status === 'fresh', agrees, `${usd}: ${JSON.stringify(fact)}`)
      }
    })

    test('is asked what it paid for ten minutes, where it remembers: one block moves nothing', async () => {
      trades(POOL, 30)
      traded(POOL, 3_000)
      assert.ok(Math.abs(Number((await price())?.pool?.usdE8) / 1e8 - 3_000) < 1)
      trades(POOL, 3_000)
      traded(POOL, 30)
      assert.match(await refusal(), /99 % away from what the native coin is traded at/)
    })
  })

  describe('a pool that says nothing', () => {
    const silent: readonly [string, () => void][] = [
      ['too shallow', () => must().answer(c.USDC, balanceOf(POOL), c.uint(99_999n * 10n ** 6n))],
      ['that does not exist', () => [500, 3000].forEach((fee) => must().answer(factory, getPool(fee), c.uint(0)))],
      ['at no price', () => must().answer(POOL, SLOT0, `0x${'00'.repeat(224)}`)],
      ['that reverts', () => must().answer(POOL, SLOT0, { error: { code: 3, message: 'execution reverted' } })],
      ['of other words', () => must().answer(POOL, SLOT0, c.uint(1))],
      [
        'of a factory that answers no address',
        () => [500, 3000].forEach((fee) => must().answer(factory, getPool(fee), c.uint(1n << 200n))),
      ],
    ]
    for (const [name, make] of silent)
      test(`${name}: the feed stands alone`, async () => {
        trades(POOL, 30)
        make()
        const found = await price()
        assert.equal(found?.usdE8, '300000000000')
        assert.equal(found && 'pool' in found, false)
      })

    test('where its other coin has no price, the feed stands alone', async () => {
      trades(POOL, 30)
      const feed = usdFeed(1, c.USDC)?.feed
      assert.ok(feed)
      must().answer(feed, c.LATEST_ROUND_DATA, c.round(0n, SECONDS))
      assert.equal((await price())?.usdE8, '300000000000')
    })
  })

  describe('what is read, and for how long', () => {
    test('the deepest pool counts', async () => {
      must().answer(c.USDC, balanceOf(SHALLOW), c.uint(60_000_000n * 10n ** 6n))
      assert.match(await refusal(), /% away/)
    })

    test('what it pays is kept for 15 s, which pool it is for an hour', async () => {
      let at = NOW.getTime()
      const one = source(() => new Date(at))
      assert.ok((await price(one))?.pool)
      trades(POOL, 3_100)
      at += 14_000
      assert.ok(Math.abs(Number((await price(one))?.pool?.usdE8) / 1e8 - 3_000) < 1)
      at += 2_000
      assert.ok(Math.abs(Number((await price(one))?.pool?.usdE8) / 1e8 - 3_100) < 1)
      must().answer(c.USDC, balanceOf(POOL), c.uint(0))
      at += 16_000
      assert.equal((await price(one))?.pool?.address, POOL)
    })

    test('a node that does not answer about pools gives no price', async () => {
      must().answer(factory, getPool(500), { status: 500, body: 'oops' })
      assert.match(await refusal(), /status 500/)
    })
  })
})
