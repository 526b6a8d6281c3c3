import type { Hyperliquid } from '../../chain/index.ts'
import type { VenueMarket } from '../facts.ts'
import { isPrintable } from '../printable.ts'
import type { Source } from '../source.ts'

const MAX_SYMBOL_LENGTH = 80

/** The markets that an action's orders name, at present prices, with the leverage that is set for the account. */
export function hyperliquidMarkets(venue: Pick<Hyperliquid, 'placesOf' | 'markets' | 'leverage'>): Source<'markets'> {
  return {
    id: 'hyperliquid-markets',
    fact: 'markets',
    venue: 'hyperliquid',
    timeoutMs: 6_000,
    async ask({ venue: asked, signal }) {
      const { markets, at, cached } = await venue.markets(signal, await venue.placesOf(asked?.markets ?? [], signal))
      const byId = new Map(markets.map((market) => [market.id, market]))
      const entries = (asked?.markets ?? []).map(async (id) => {
        const market = byId.get(id)
        // One whose name cannot be shown to people is none.
        if (market === undefined || asked === undefined || !isPrintable(market.symbol, MAX_SYMBOL_LENGTH))
          return [id, null] as const
        const { symbol, kind, sizeDecimals, mark, maxLeverage, coin, dex } = market
        const set = kind === 'perp' ? await venue.leverage(asked.account, coin, signal) : undefined
        const backedBy = set?.isolated ? ('itself' as const) : dex === '' ? undefined : ('dex' as const)
        const own = { symbol, kind, sizeDecimals, mark, maxLeverage, leverage: set?.leverage ?? null }
        return [id, { ...own, ...(backedBy && { backedBy }) }] as const
      })
      const value: Readonly<Record<string, VenueMarket | null>> = Object.fromEntries(await Promise.all(entries))
      return { value, observedAt: at, cached }
    },
  }
}
