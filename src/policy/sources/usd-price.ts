import type { Chains } from '../../chain/index.ts'
import { CountersignError } from '../../lib/errors.ts'
import { type UsdFeed, usdFeed } from '../../registry/index.ts'
import type { Asset } from '../decoded-action.ts'
import { type PriceTable, tablePrice } from '../price-table.ts'
import type { Source } from '../source.ts'
import { createFeedReader, keyOf, MAX_FUTURE_SECONDS, type Quote } from './usd-price/feeds.ts'
import { counterOf, createPoolReader } from './usd-price/pools.ts'
import { agreed } from './usd-price/second-opinion.ts'

/** What prices come from: the configured chains, the clock, and the operator's own table where there is one. */
export type UsdPriceDeps = Readonly<{ chains: Chains; now: () => Date; table?: PriceTable | undefined }>

/**
 * Prices in US dollars from Chainlink's feeds, or first from the operator's table for what it lists. An asset without
 * either is null. One answer that is not beyond doubt (zero, too old, of another pair, the rollup halted, far from what
 * the asset is traded at) makes the whole fact unavailable.
 */
export function usdPrice({ chains, now, table }: UsdPriceDeps): Source<'prices'> {
  const readFeeds = createFeedReader(chains, now)
  const readPools = createPoolReader(chains, now)
  return {
    id: 'usd-price',
    fact: 'prices',
    timeoutMs: 6_000,
    async ask({ chainId, assets, signal }) {
      const set = new Map(assets.map((asset) => [asset, table && fromTable(table, chainId, asset, now())]))
      const feedOf = (asset: Asset) => (set.get(asset) ? undefined : usdFeed(chainId, asset))
      const fed = assets.filter((asset) => feedOf(asset) !== undefined)
      const feeds = fed.flatMap((asset) => feedOf(asset) ?? [])
      const own = new Set(feeds.map(keyOf))
      const others = fed.flatMap((asset) => counterFeedOf(chainId, asset) ?? []).filter((one) => !own.has(keyOf(one)))
      const [ours, theirs, pools] = await Promise.all([
        readFeeds(feeds, chainId, signal),
        // What only a second opinion would be reckoned with is no reason to have no first one.
        readFeeds(others, chainId, signal).catch(() => new Map<string, Quote>()),
        readPools(fed, chainId, signal),
      ])
      const read = new Map([...theirs, ...ours])
      const byFeed = (asset: Asset | undefined) => {
        const feed = asset && usdFeed(chainId, asset)
        return feed && read.get(keyOf(feed))
      }
      const quotes = assets.map((asset) => {
        const quote = feedOf(asset) && byFeed(asset)
        const pool = pools.get(asset)
        return [asset, quote ? agreed(asset, quote, pool, byFeed(pool?.counter), chainId) : set.get(asset)] as const
      })
      const had = quotes.flatMap(([, quote]) => quote ?? [])
      return {
        value: Object.fromEntries(quotes.map(([asset, quote]) => [asset, quote?.price ?? null])),
        observedAt: new Date(Math.min(now().getTime(), ...had.map(({ observedAt }) => observedAt.getTime()))),
        cached: had.some(({ cached }) => cached),
      }
    },
  }
}

function counterFeedOf(chainId: number, asset: Asset): UsdFeed | undefined {
  const counter = counterOf(chainId, asset)
  return counter && usdFeed(chainId, counter)
}

function fromTable(table: PriceTable, chainId: number, asset: Asset, now: Date): Quote | undefined {
  const price = tablePrice(table, chainId, asset)
  if (price === undefined) return undefined
  const asOf = new Date(table.asOf)
  const age = (now.getTime() - asOf.getTime()) / 1000
  const limit = table.maxAgeSeconds
  if (age > limit) throw new CountersignError('unavailable', `The price table is older than its limit of ${limit} s.`)
  if (age < -MAX_FUTURE_SECONDS) throw new CountersignError('unavailable', 'The price table is dated in the future.')
  const usd = { usdE8: price.toString(), source: 'price table', updatedAt: asOf.toISOString() }
  return { price: usd, observedAt: asOf, cached: true }
}
