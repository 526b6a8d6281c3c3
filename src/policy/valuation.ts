import { type MicroUsd, valueOf } from '../lib/usd.ts'
import { spenderAt } from '../registry/index.ts'
import { changedAmount, isAllThereIs } from './account.ts'
import type { Asset, DecodedAction, Flow, Grant, Leg, PositionChange } from './decoded-action.ts'
import { type FactName, type Facts, quoteOf } from './facts.ts'
import { orderValue } from './order.ts'

/** What one leg is worth. Undefined where an identity or a price is missing: a token without a price is never worth 0. */
export type LegValue = Readonly<{ spent: MicroUsd | undefined; received: MicroUsd | undefined }>

/** What an action is worth in micro-USD: outflows rounded up, proceeds down. */
export type Valuation = Readonly<{
  legs: readonly LegValue[]
  /**
   * All that leaves, is handed over, or is taken out of an account at a venue, value that returns to the wallet
   * included. Null when the action moves nothing.
   */
  notional: MicroUsd | null | undefined
  /**
   * What counts against the 24-hour limit: the notional without what only changes its form, as wrapping does, and
   * without what comes from a venue to the wallet. What goes to a venue left the wallet, in whoever's name it lies there.
   */
  outflow: MicroUsd | undefined
  /** Assets whose identity, price or balance is missing. */
  missing: readonly Asset[]
}>

/** Values an action by the facts that were had. Pure. */
export function valueAction(action: DecodedAction, facts: Facts): Valuation {
  const missing = new Set<Asset>()
  const worth = (asset: Asset, amount: bigint | undefined, rounding: 'up' | 'down'): MicroUsd | undefined => {
    if (amount === 0n) return 0n
    const quote = amount === undefined ? undefined : quoteOf(asset, facts)
    if (quote && amount !== undefined) return valueOf(amount, quote.decimals, quote.usdE8, rounding)
    missing.add(asset)
    return undefined
  }
  const total = (flows: readonly (Flow | Grant)[], rounding: 'up' | 'down') =>
    sum(flows.map(({ asset, amount }) => worth(asset, amount, rounding)))
  const out = (leg: Leg) =>
    sum(releases(leg).map((one) => worth(one.asset, changedAmount(leg, one, action.wallet, facts), 'up')))

  const legs = action.legs.map((leg) => ({ spent: total(leg.spends, 'up'), received: total(leg.receives, 'down') }))
  const granted = action.legs.map((leg) => total(openGrants(action, leg), 'up'))
  const released = action.legs.map(out)
  const orders = action.legs.map((leg) => orderValue(leg, facts))
  const moves = action.legs.some(
    (leg) => leg.order || leg.spends.length > 0 || openGrants(action, leg).length > 0 || releases(leg).length > 0,
  )
  const notional = sum([
    ...legs.map((leg) => leg.spent),
    ...granted,
    ...released,
    ...orders.map((order) => order?.notional),
  ])
  const kept = sum([
    ...orders.map((order) => order && order.notional - order.held),
    ...legs.map((leg, i) => (changesFormOnly(action, action.legs[i]) ? leg.spent : 0n)),
    ...released.map((value, i) => (comesHome(action, action.legs[i]) ? value : 0n)),
  ])
  return {
    legs,
    notional: moves ? notional : null,
    outflow: notional === undefined || kept === undefined ? undefined : notional - kept,
    missing: [...missing],
  }
}

/** The facts that valuing an action takes. What "all there is" comes to is known to the venue alone. */
export function factsToValue({ legs }: DecodedAction): readonly FactName[] {
  const everything = legs.some((leg) => releases(leg).some(isAllThereIs))
  const ordered = legs.some(({ order }) => order !== undefined)
  return ['tokens', 'prices', ...(everything ? ['positions' as const] : []), ...(ordered ? ['markets' as const] : [])]
}

/**
 * Grants that let somebody take tokens by themselves. A known venue contract only spends for the account that calls
 * it, and such a call is decided when it comes; anybody else may take all that was granted at any time.
 */
export function openGrants({ chainId }: DecodedAction, { grants }: Leg): readonly Grant[] {
  return grants.filter(({ spender, amount }) => amount > 0n && spenderAt(chainId, spender) === undefined)
}

/** What a venue gives out: a deposit that is taken back, a debt that is taken on. */
export function releases({ positions = [] }: Leg): readonly PositionChange[] {
  return positions.filter(({ side, change }) => (side === 'supply') === (change === 'decrease'))
}

/** Wrapping and unwrapping to the wallet itself. */
function changesFormOnly({ wallet }: DecodedAction, leg: Leg | undefined): boolean {
  return (leg?.kind === 'wrap' || leg?.kind === 'unwrap') && leg.receives.every(({ party }) => party === wallet)
}

/** What a venue gives out goes to the wallet, or to the wallet's own account there: a debt repaid out of a deposit. */
function comesHome({ wallet }: DecodedAction, leg: Leg | undefined): boolean {
  if (leg === undefined) return false
  const { receives, positions = [] } = leg
  const absorbed = positions.length > releases(leg).length
  return (receives.length > 0 || absorbed) && [...receives, ...positions].every(({ party }) => party === wallet)
}

function sum(values: readonly (MicroUsd | undefined)[]): MicroUsd | undefined {
  let total = 0n
  for (const value of values) {
    if (value === undefined) return undefined
    total += value
  }
  return total
}
