import { CountersignError } from '../../../lib/errors.ts'
import { tokenAt } from '../../../registry/index.ts'
import type { Asset } from '../../decoded-action.ts'
import type { Quote } from './feeds.ts'
import type { PoolRate } from './pools.ts'

/**
 * How far a pool may be from a feed before neither is believed. Feeds follow the market within 2 % and pools within
 * their fees; ten minutes of a crash are between them. A feed that a crash left behind is further off.
 */
const MAX_DEVIATION_PERCENT = 10
/** A pool that holds less than this in US dollars of the other coin is no opinion: it moves with every trade. */
const MIN_DEPTH_USD = 100_000

/**
 * A feed's price that the asset's deepest pool agrees with. A pool can be moved by whoever pays for it, so what it says
 * is never the price: all that moving it gains is that nothing is decided. A pool that is too small says nothing.
 *
 * @throws CountersignError unavailable where they differ by more than a tenth
 */
export function agreed(
  asset: Asset,
  quote: Quote,
  pool: PoolRate | undefined,
  counter: Quote | undefined,
  chainId: number,
): Quote {
  const decimals = pool && tokenAt(chainId, pool.counter)?.decimals
  if (pool === undefined || counter === undefined || decimals === undefined) return quote
  const counterUsd = Number(counter.price.usdE8) / 1e8
  if ((Number(pool.depth) / 10 ** decimals) * counterUsd < MIN_DEPTH_USD) return quote
  const own = Number(quote.price.usdE8) / 1e8
  const traded = pool.rate * counterUsd
  const percent = (Math.abs(traded - own) / own) * 100
  if (percent > MAX_DEVIATION_PERCENT)
    throw new CountersignError(
      'unavailable',
      `The price of ${quote.price.source} is ${percent.toFixed(0)} % away from what ${nameOf(asset, chainId)} is traded at.`,
    )
  const usdE8 = Math.round(traded * 1e8).toString()
  return { ...quote, price: { ...quote.price, pool: { address: pool.pool, usdE8 } } }
}

function nameOf(asset: Asset, chainId: number): string {
  return asset === 'native' ? 'the native coin' : (tokenAt(chainId, asset)?.symbol ?? asset)
}
