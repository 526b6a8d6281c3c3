import type { Chains } from '../../chain/index.ts'
import { CountersignError } from '../../lib/errors.ts'
import { usdFeed } from '../../registry/index.ts'
import type { Asset } from '../decoded-action.ts'
import { type PriceTable, tablePrice } from '../price-table.ts'
import type { Source } from '../source.ts'
import { createFeedReader, keyOf, MAX_FUTURE_SECONDS, type Quote } from './usd-price/feeds.ts'

/** What prices come from: the configured chains, the clock, and the operator's own table where there is one. */
export type UsdPriceDeps = Readonly<{ chains: Chains; now: () => Date; table?: PriceTable | undefined }>

/**
 * Prices in US dollars from Chainlink's feeds, or first from the operator's table for what it lists. An asset without
 * either is null. One answer that is not beyond doubt (zero, too old, of another pair, the rollup halted) makes the
 * whole fact unavailable.
 */
export function usdPrice({ chains, now, table }: UsdPriceDeps): Source<'prices'> {
  const readFeeds = createFeedReader(chains, now)
  return {
    id: 'usd-price',
    fact: 'prices',
    timeoutMs: 6_000,
    async ask({ chainId, assets, signal }) {
      const set = new Map(assets.map((asset) => [asset, table && fromTable(table, chainId, asset, now())]))
      const feedOf = (asset: Asset) => (set.get(asset) ? undefined : usdFeed(chainId, asset))
      const feeds = assets.flatMap((asset) => feedOf(asset) ?? [])
      const read = await readFeeds(feeds, chainId, signal)
      const quotes = assets.map((asset) => {
        const feed = feedOf(asset)
        return [asset, set.get(asset) ?? (feed && read.get(keyOf(feed)))] as const
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
