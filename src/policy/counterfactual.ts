import type { MicroUsd } from '../lib/usd.ts'
import type { Input } from './check.ts'
import { amountText } from './describe.ts'
import { known } from './facts.ts'

/**
 * The nearest amount that a limit in US dollars would have let pass, in the asset that leaves:
 * `; up to 1,240 USDC would pass`. Nothing where several assets leave or a price is missing.
 */
export function mostAllowed({ action, facts }: Input, limit: MicroUsd): string {
  const [spend, ...others] = action.legs.flatMap((leg) => leg.spends)
  if (!spend || others.length > 0) return ''
  const token = known(facts.tokens)?.[spend.asset]
  const price = known(facts.prices)?.[spend.asset]
  if (!token || !price) return ''
  const amount = (limit * 10n ** BigInt(token.decimals + 2)) / BigInt(price.usdE8)
  return `; up to ${amountText(spend.asset, amount, facts)} would pass`
}
