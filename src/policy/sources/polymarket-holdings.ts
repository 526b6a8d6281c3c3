import type { Polymarket, PolymarketAccount } from '../../chain/index.ts'
import type { Address } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { MarginAccount } from '../facts.ts'
import { exactly, worthOf } from '../order.ts'
import type { Source } from '../source.ts'

/**
 * What an account has of outcomes, at their last prices, and its open orders where the harness holds the key that the
 * venue shows them to. There is no margin: all of it is the account's own.
 */
export function polymarketHoldings(
  venue: Pick<Polymarket, 'holdings'>,
  own?: Readonly<{ accounts: readonly Address[] }> & Pick<PolymarketAccount, 'openOrders'>,
): Source<'margin'> {
  return {
    id: 'polymarket-holdings',
    fact: 'margin',
    venue: 'polymarket',
    timeoutMs: 8_000,
    async ask({ venue: asked, signal }) {
      if (asked === undefined) throw new CountersignError('unavailable', 'No account is asked about.')
      const { account } = asked
      const observedAt = new Date()
      // In this order: an order that is filled meanwhile counts twice, and never not at all.
      const standing = own?.accounts.includes(account) ? await own.openOrders() : []
      const holdings = await venue.holdings(account, signal)
      const equity = holdings.reduce((sum, { size, price }) => sum + worthOf(exactly(size), exactly(price)), 0n)
      const positions = holdings.map(({ id: market, size, price: mark }) => ({ market, size, mark, liquidation: null }))
      // What is filled of an order is a holding by then: the whole order counts, against the account.
      const of = standing.filter(({ maker }) => maker === account)
      const orders = of.map(({ id: cloid, market, side, size, price }) => {
        return { market, side, size, price, reduceOnly: side === 'sell', cloid }
      })
      const value: MarginAccount = { equityMicroUsd: equity.toString(), positions, orders }
      return { value, observedAt }
    },
  }
}
