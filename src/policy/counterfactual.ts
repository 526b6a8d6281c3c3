import type { MicroUsd } from '../lib/usd.ts'
import type { Input } from './check.ts'
import type { Asset } from './decoded-action.ts'
import { amountText } from './describe.ts'
import { quoteOf } from './facts.ts'
import { openGrants, releases } from './valuation.ts'

/**
 * The nearest amount that a limit in US dollars would have let pass, in the asset that leaves or that a venue gives
 * out: `; up to 1,240 USDC would pass`. Nothing where several assets move, nothing would pass, or a price is missing.
 */
export function mostAllowed(input: Input, limit: MicroUsd): string {
  const { legs } = input.action
  const [moved, ...others] = legs.flatMap((leg) => [...leg.spends, ...releases(leg)])
  if (!moved || others.length > 0 || legs.some((leg) => openGrants(input.action, leg).length > 0)) return ''
  return mostOf(input, moved.asset, limit, 'would pass')
}

/** So much of an asset as is worth a number of US dollars at most: `; up to 500 USDC could be supplied`. */
export function mostOf({ facts }: Input, asset: Asset, limit: MicroUsd, what: string): string {
  const quote = quoteOf(asset, facts)
  const amount = quote && limit > 0n ? (limit * 10n ** BigInt(quote.decimals + 2)) / quote.usdE8 : 0n
  return amount === 0n ? '' : `; up to ${amountText(asset, amount, facts)} ${what}`
}
