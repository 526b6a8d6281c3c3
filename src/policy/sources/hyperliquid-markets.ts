import type { Hyperliquid } from '../../chain/index.ts'
import type { VenueMarket } from '../facts.ts'
import type { Source } from '../source.ts'

/** The markets that an action's orders name, at present prices, with the leverage that is set for the account. */
export function hyperliquidMarkets(venue: Pick<Hyperliquid, 'markets' | 'leverage'>): Source<'markets'> {
  return {
    id: 'hyperliquid-markets',
    fact: 'markets',
    timeoutMs: 6_000,
    async ask({ venue: asked, signal }) {
      // Of another venue no market is known here, and so none of its orders is one that could be decided.
      if (asked !== undefined && asked.name !== 'hyperliquid')
        return { value: Object.fromEntries(asked.markets.map((id) => [id, null])), observedAt: new Date() }
      const { markets, at, cached } = await venue.markets(signal)
      const byId = new Map(markets.map((market) => [market.id, market]))
      const entries = (asked?.markets ?? []).map(async (id) => {
        const market = byId.get(id)
        if (market === undefined || asked === undefined) return [id, null] as const
        const { symbol, kind, sizeDecimals, mark, maxLeverage, coin } = market
        const leverage = kind === 'perp' ? await venue.leverage(asked.account, coin, signal) : null
        return [id, { symbol, kind, sizeDecimals, mark, maxLeverage, leverage }] as const
      })
      const value: Readonly<Record<string, VenueMarket | null>> = Object.fromEntries(await Promise.all(entries))
      return { value, observedAt: at, cached }
    },
  }
}
