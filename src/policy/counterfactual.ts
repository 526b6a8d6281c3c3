import type { MicroUsd } from '../lib/usd.ts'
import type { Input } from './check.ts'
import { amountText } from './describe.ts'
import { quoteOf } from './facts.ts'
import { openGrants } from './valuation.ts'

/**
 * The nearest amount that a limit in US dollars would have let pass, in the asset that leaves:
 * `; up to 1,240 USDC would pass`. Nothing where several assets leave, nothing would pass, or a price is missing.
 */
export function mostAllowed({ action, facts }: Input, limit: MicroUsd): string {
  const [spend, ...others] = action.legs.flatMap((leg) => leg.spends)
  const quote = spend && quoteOf(spend.asset, facts)
  if (!quote || others.length > 0 || action.legs.some((leg) => openGrants(action, leg).length > 0)) return ''
  const amount = (limit * 10n ** BigInt(quote.decimals + 2)) / quote.usdE8
  return amount === 0n ? '' : `; up to ${amountText(spend.asset, amount, facts)} would pass`
}
