import { type MicroUsd, valueOf } from '../lib/usd.ts'
import { spenderAt } from '../registry/index.ts'
import type { Asset, DecodedAction, Flow, Grant, Leg } from './decoded-action.ts'
import { type Facts, quoteOf } from './facts.ts'

/** What one leg is worth. Undefined where an identity or a price is missing: a token without a price is never worth 0. */
export type LegValue = Readonly<{ spent: MicroUsd | undefined; received: MicroUsd | undefined }>

/** What an action is worth in micro-USD: outflows rounded up, proceeds down. */
export type Valuation = Readonly<{
  legs: readonly LegValue[]
  /** All that leaves or is handed over, value that returns to the wallet included. Null when the action moves nothing. */
  notional: MicroUsd | null | undefined
  /** What counts against the 24-hour limit: the notional without what only changes its form, as wrapping does. */
  outflow: MicroUsd | undefined
  /** Assets whose identity or price is missing. */
  missing: readonly Asset[]
}>

/** Values an action by the facts that were had. Pure. */
export function valueAction(action: DecodedAction, facts: Facts): Valuation {
  const missing = new Set<Asset>()
  const worth = (asset: Asset, amount: bigint, rounding: 'up' | 'down'): MicroUsd | undefined => {
    if (amount === 0n) return 0n
    const quote = quoteOf(asset, facts)
    if (quote) return valueOf(amount, quote.decimals, quote.usdE8, rounding)
    missing.add(asset)
    return undefined
  }
  const total = (flows: readonly (Flow | Grant)[], rounding: 'up' | 'down') =>
    sum(flows.map(({ asset, amount }) => worth(asset, amount, rounding)))

  const legs = action.legs.map((leg) => ({ spent: total(leg.spends, 'up'), received: total(leg.receives, 'down') }))
  const granted = action.legs.map((leg) => total(openGrants(action, leg), 'up'))
  const moves = action.legs.some((leg) => leg.spends.length > 0 || openGrants(action, leg).length > 0)
  const spent = sum([...legs.map((leg) => leg.spent), ...granted])
  const kept = sum(legs.map((leg, i) => (changesFormOnly(action, action.legs[i]) ? leg.spent : 0n)))
  return {
    legs,
    notional: moves ? spent : null,
    outflow: spent === undefined || kept === undefined ? undefined : spent - kept,
    missing: [...missing],
  }
}

/**
 * Grants that let somebody take tokens by themselves. A known venue contract only spends for the account that calls
 * it, and such a call is decided when it comes; anybody else may take all that was granted at any time.
 */
export function openGrants({ chainId }: DecodedAction, { grants }: Leg): readonly Grant[] {
  return grants.filter(({ spender, amount }) => amount > 0n && spenderAt(chainId, spender) === undefined)
}

/** Wrapping and unwrapping to the wallet itself. */
function changesFormOnly({ wallet }: DecodedAction, leg: Leg | undefined): boolean {
  return (leg?.kind === 'wrap' || leg?.kind === 'unwrap') && leg.receives.every(({ party }) => party === wallet)
}

function sum(values: readonly (MicroUsd | undefined)[]): MicroUsd | undefined {
  let total = 0n
  for (const value of values) {
    if (value === undefined) return undefined
    total += value
  }
  return total
}
