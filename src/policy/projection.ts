import { absolute, ceilDiv } from '../lib/integers.ts'
import { formatDecimal, type MicroUsd } from '../lib/usd.ts'
import type { DecodedProjection } from '../schema/decoded-action.ts'
import type { DecodedAction, VenueOrder } from './decoded-action.ts'
import { type FactName, type Facts, known, type MarginAccount, type VenueMarket } from './facts.ts'
import { projectMargin, usesMargin } from './margin.ts'
import { exactly, marketOf } from './order.ts'

/** Sizes, prices and amounts of dollars as `exactly` has them. */
const DECIMALS = 12
const ONE = 10n ** BigInt(DECIMALS)
const FROM_MICRO = ONE / 1_000_000n
const FULL_BPS = 10_000n
const SIGNIFICANT = 5

/** What it takes to say where an account would stand. */
export function factsToProject(action: DecodedAction): readonly FactName[] {
  return usesMargin(action) ? ['markets', 'margin'] : []
}

/**
 * Where the account that trades would stand after the action: what its positions come to at most, how many times that is
 * what is its own, and at which prices it would be liquidated. For people: no check reads it. Undefined where the account
 * or a market is not known.
 */
export function projectionOf(action: DecodedAction, facts: Facts): DecodedProjection | undefined {
  const account = known(facts.margin)
  const projected = usesMargin(action) ? projectMargin(action, facts) : undefined
  if (account === undefined || projected === undefined) return undefined
  const { notional, equity } = projected
  const ids = new Set(action.legs.flatMap(({ order }) => order?.market ?? []))
  return {
    notionalUsd: formatDecimal(notional, 6),
    equityUsd: formatDecimal(equity, 6),
    leverage: equity > 0n ? formatDecimal(ceilDiv(notional * 100n, equity), 2) : null,
    liquidations: [...ids].flatMap((id) => {
      const market = marketOf(id, facts)
      return market?.kind === 'perp' ? [liquidationIn(id, market, action, account, equity)] : []
    }),
  }
}

/**
 * The price at which what is left covers only the maintenance margin, which is half of the margin at the highest leverage;
 * with this action's orders filled at their limits, and all else as it is. None where there is no such price, or where it
 * hangs on what the venue alone knows. Source: Hyperliquid's docs, "Liquidations".
 */
function liquidationIn(
  id: string,
  market: VenueMarket,
  action: DecodedAction,
  account: MarginAccount,
  equity: MicroUsd,
): DecodedProjection['liquidations'][number] {
  const { symbol, maxLeverage } = market
  const mark = exactly(market.mark)
  const held = exactly(account.positions.find((one) => one.market === id)?.size ?? '0')
  const { size, paid } = filled(action, id, held, mark)
  const own = backing(id, market, account, equity, { held, paid, mark })
  const none = (why: 'nothing held' | 'covered' | 'unknown') => ({
    market: id,
    symbol,
    price: null,
    distanceBps: null,
    why,
  })
  if (size === 0n) return none('nothing held')
  if (maxLeverage === null || own === undefined) return none('unknown')
  const kept = 2n * BigInt(maxLeverage)
  // The price where: own - paid + size × price = |size| × price / kept.
  const price = ((paid - own) * kept * ONE) / (size * kept - absolute(size))
  if (price <= 0n) return none('covered')
  const away = size > 0n ? mark - price : price - mark
  const distanceBps = away > 0n ? Number((away * FULL_BPS) / mark) : 0
  return { market: id, symbol, price: rounded(price, size > 0n), distanceBps, why: null }
}

type Position = Readonly<{ held: bigint; paid: bigint; mark: bigint }>

/** What stands behind a position, beside what the others need: the account, or the margin of an isolated one that is new. */
function backing(
  id: string,
  { backedBy, leverage }: VenueMarket,
  { positions }: MarginAccount,
  equity: MicroUsd,
  { held, paid }: Position,
): bigint | undefined {
  if (backedBy === 'itself') return held === 0n ? absolute(paid) / BigInt(leverage ?? 1) : undefined
  const others = positions.filter(({ market, size }) => market !== id && exactly(size) !== 0n)
  if (backedBy !== undefined || others.some((one) => one.backedBy !== undefined)) return undefined
  const needed = others.reduce((sum, { size, mark, maxLeverage }) => {
    return sum + (absolute(exactly(size)) * exactly(mark)) / ONE / (2n * BigInt(maxLeverage ?? 1))
  }, 0n)
  return equity * FROM_MICRO - needed
}

/** The position in a market with the action's orders filled at their limits, and what it was paid for from now on. */
function filled(
  action: DecodedAction,
  id: string,
  held: bigint,
  mark: bigint,
): Readonly<{ size: bigint; paid: bigint }> {
  let [size, paid] = [held, (held * mark) / ONE]
  for (const { order } of action.legs) {
    if (order === undefined || order.market !== id) continue
    const change = changeBy(order, size)
    const price = order.price === null ? mark : exactly(order.price)
    size += change
    paid += (change * price) / ONE
  }
  return { size, paid }
}

/** What only reduces ends a position, and turns none around. */
function changeBy({ side, size, reduceOnly }: VenueOrder, position: bigint): bigint {
  const wanted = side === 'buy' ? exactly(size) : -exactly(size)
  if (!reduceOnly) return wanted
  if (position > 0n === wanted > 0n) return 0n
  return absolute(wanted) < absolute(position) ? wanted : -position
}

/** Five significant digits, never farther away than it is: up for what was bought, down for what was sold. */
function rounded(price: bigint, up: boolean): string {
  const digits = price.toString().length
  const unit = 10n ** BigInt(Math.max(0, digits - SIGNIFICANT))
  return formatDecimal((up ? ceilDiv(price, unit) : price / unit) * unit, DECIMALS)
}
