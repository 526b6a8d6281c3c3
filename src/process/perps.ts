import type { CoreMarket, Hyperliquid } from '../chain/index.ts'
import type { Perps } from '../harness/index.ts'
import type { Address } from '../lib/address.ts'
import { formatDecimal, parseDecimal } from '../lib/usd.ts'
import type { Policy } from '../schema/policy.ts'
import { priceRoom } from './price-room.ts'

/** Where the policy sets no bound. */
const DEFAULT_BOUND_BPS = 100

const DECIMALS = 6

/** What the tools may read of the venue of perpetuals, for one wallet. */
export function perpsReader(
  venue: Pick<Hyperliquid, 'markets' | 'account'>,
  wallet: Address,
  policy: () => Promise<Policy | undefined>,
): Perps {
  return {
    async markets(dex) {
      const { markets } = await venue.markets(undefined, dex === undefined ? [] : [dex])
      return markets.flatMap((market) =>
        market.kind === 'perp' && market.maxLeverage !== null
          ? [{ ...market, id: Number(market.id), maxLeverage: market.maxLeverage }]
          : [],
      )
    },
    async account() {
      const account = await venue.account(wallet)
      const { markets } = await venue.markets(
        undefined,
        account.values.flatMap(({ dex }) => (dex === '' ? [] : [dex])),
      )
      const byCoin = new Map<string, CoreMarket>(markets.map((market) => [market.coin, market]))
      const symbolOf = (coin: string) => byCoin.get(coin)?.symbol ?? coin
      return {
        equity: sumOf(account.values.map(({ value }) => value)),
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
    boundBps: async () => priceRoom((await policy())?.priceBound?.maxDeviationBps, DEFAULT_BOUND_BPS),
  }
}

function sumOf(texts: readonly string[]): string {
  const sum = texts.reduce((total, text) => {
    const amount = parseDecimal(text.replace('-', ''), DECIMALS)
    return text.startsWith('-') ? total - amount : total + amount
  }, 0n)
  return formatDecimal(sum, DECIMALS)
}
