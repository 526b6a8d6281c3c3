import type { Hyperliquid } from '../../chain/index.ts'
import { CountersignError } from '../../lib/errors.ts'
import { parseDecimal } from '../../lib/usd.ts'
import type { MarginAccount } from '../facts.ts'
import type { Source } from '../source.ts'

const MICRO = 6

/** Positions, open orders and equity of the account that an action's orders are for. */
export function hyperliquidMargin(venue: Pick<Hyperliquid, 'placesOf' | 'markets' | 'account'>): Source<'margin'> {
  return {
    id: 'hyperliquid-account',
    fact: 'margin',
    venue: 'hyperliquid',
    timeoutMs: 6_000,
    async ask({ venue: asked, signal }) {
      if (asked === undefined) throw new CountersignError('unavailable', 'No account is asked about.')
      const places = await venue.placesOf(asked.markets, signal)
      const account = await venue.account(asked.account, signal, places)
      const { markets, at } = await venue.markets(
        signal,
        account.values.flatMap(({ dex }) => (dex === '' ? [] : [dex])),
      )
      const byCoin = new Map(markets.map((market) => [market.coin, market]))
      const positions = account.positions.map(({ coin, size, liquidation, margin }) => {
        const market = byCoin.get(coin)
        if (market === undefined)
          throw new CountersignError('unavailable', 'A position is in a market that has no price.')
        const { id, mark, maxLeverage, dex } = market
        const backedBy = margin === 'isolated' ? ('itself' as const) : ('dex' as const)
        const apart = margin === 'isolated' || dex !== ''
        return { market: id, size, mark, liquidation, maxLeverage, ...(apart && { backedBy }) }
      })
      const foreign = account.orders.find(({ coin }) => !byCoin.has(coin) && !/^@|\//.test(coin))
      if (foreign) throw new CountersignError('unavailable', 'An open order is in a market that has no price.')
      const orders = account.orders.flatMap(({ coin, side, size, price, reduceOnly, cloid }) => {
        const market = byCoin.get(coin)
        return market?.kind === 'perp' ? [{ market: market.id, side, size, price, reduceOnly, cloid }] : []
      })
      // What margin in another token is worth, nobody says: it stands behind nothing.
      const inDollars = new Set(['', ...markets.map(({ dex }) => dex)])
      const equity = account.values.reduce((sum, one) => sum + (inDollars.has(one.dex) ? microUsd(one.value) : 0n), 0n)
      const value: MarginAccount = { equityMicroUsd: equity.toString(), positions, orders }
      return { value, observedAt: at }
    },
  }
}

/** Cut to millionths, and away from zero where it is owed. */
function microUsd(text: string): bigint {
  const negative = text.startsWith('-')
  const micro = parseDecimal(text.replace('-', ''), MICRO)
  return negative ? -micro - 1n : micro
}
