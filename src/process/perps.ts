import type { CoreMarket, Hyperliquid } from '../chain/index.ts'
import type { Perps } from '../harness/index.ts'
import type { Address } from '../lib/address.ts'
import type { PolicyService } from '../policy/index.ts'

/** Half of the bound that the policy sets is left to the price, which moves until the order arrives. */
const BOUND_SHARE = 2
const DEFAULT_BOUND_BPS = 100

/** What the tools may read of the venue of perpetuals, for one wallet. */
export function perpsReader(
  venue: Pick<Hyperliquid, 'markets' | 'account'>,
  wallet: Address,
  policy: Pick<PolicyService, 'readPolicy'>,
): Perps {
  return {
    async markets() {
      const { markets } = await venue.markets()
      return markets.flatMap((market) =>
        market.kind === 'perp' && market.maxLeverage !== null
          ? [{ ...market, id: Number(market.id), maxLeverage: market.maxLeverage }]
          : [],
      )
    },
    async account() {
      const [{ markets }, account] = await Promise.all([venue.markets(), venue.account(wallet)])
      const byCoin = new Map<string, CoreMarket>(markets.map((market) => [market.coin, market]))
      const symbolOf = (coin: string) => byCoin.get(coin)?.symbol ?? coin
      return {
        equity: account.accountValue,
        withdrawable: account.withdrawable,
        positions: account.positions.map(({ coin, ...position }) => ({
          ...position,
          symbol: symbolOf(coin),
          mark: byCoin.get(coin)?.mark ?? null,
        })),
        orders: account.orders.map(({ coin, side, size, price, cloid }) => ({
          symbol: symbolOf(coin),
          side,
          size,
          price,
          cloid,
        })),
      }
    },
    async boundBps() {
      const maxBps = (await policy.readPolicy(wallet))?.policy.priceBound?.maxDeviationBps
      return maxBps === undefined ? DEFAULT_BOUND_BPS : Math.floor(maxBps / BOUND_SHARE)
    },
  }
}
