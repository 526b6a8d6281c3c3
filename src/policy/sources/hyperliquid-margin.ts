import type { Hyperliquid } from '../../chain/index.ts'
import { CountersignError } from '../../lib/errors.ts'
import { parseDecimal } from '../../lib/usd.ts'
import type { MarginAccount } from '../facts.ts'
import type { Source } from '../source.ts'

const MICRO = 6

/** Positions, open orders and equity of the account that an action's orders are for. */
export function hyperliquidMargin(venue: Pick<Hyperliquid, 'markets' | 'account'>): Source<'margin'> {
  return {
    id: 'hyperliquid-account',
    fact: 'margin',
    timeoutMs: 6_000,
    async ask({ venue: asked, signal }) {
      if (asked?.name !== 'hyperliquid') throw new CountersignError('unavailable', 'No account is asked about.')
      const [{ markets, at }, account] = await Promise.all([
        venue.markets(signal),
        venue.account(asked.account, signal),
      ])
      const byCoin = new Map(markets.map((market) => [market.coin, market]))
      const positions = account.positions.map(({ coin, size, liquidation }) => {
        const market = byCoin.get(coin)
        if (market === undefined)
          throw new CountersignError('unavailable', 'A position is in a market that has no price.')
        return { market: market.id, size, mark: market.mark, liquidation }
      })
      const foreign = account.orders.find(({ coin }) => !byCoin.has(coin) && !/^@|\//.test(coin))
      if (foreign) throw new CountersignError('unavailable', 'An open order is in a market that has no price.')
      const orders = account.orders.flatMap(({ coin, side, size, price, reduceOnly, cloid }) => {
        const market = byCoin.get(coin)
        return market?.kind === 'perp' ? [{ market: market.id, side, size, price, reduceOnly, cloid }] : []
      })
      const value: MarginAccount = { equityMicroUsd: microUsd(account.accountValue), positions, orders }
      return { value, observedAt: at }
    },
  }
}

/** Cut to millionths, and away from zero where it is owed. */
function microUsd(text: string): string {
  const negative = text.startsWith('-')
  const micro = parseDecimal(text.replace('-', ''), MICRO)
  return negative ? (-micro - 1n).toString() : micro.toString()
}
