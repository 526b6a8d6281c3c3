import { absolute } from '../lib/integers.ts'
import type { MicroUsd } from '../lib/usd.ts'
import type { ProjectedAccount } from './account.ts'
import type { DecodedAction, Leg } from './decoded-action.ts'
import { type Facts, known } from './facts.ts'
import { dearest, exactly, marketOf, worthOf } from './order.ts'
import { isForOutcome } from './outcome.ts'

/** Whether an action trades with margin, or changes it. */
export function usesMargin({ legs }: DecodedAction): boolean {
  return legs.some((leg) => (leg.order && !isForOutcome(leg)) || leg.margin !== undefined)
}

/** The venue that takes an action's orders. */
export function marginVenue({ legs }: DecodedAction): string | undefined {
  return legs.find(({ order, margin }) => order !== undefined || margin !== undefined)?.venue
}

/** Whether it can raise what positions are worth beside their margin: an order that opens, or margin that leaves. */
export function raisesRisk({ legs }: DecodedAction): boolean {
  return legs.some((leg) => {
    const { order, margin } = leg
    return (order && !order.reduceOnly && !isForOutcome(leg)) || (margin !== undefined && margin < 0n)
  })
}

/** A market as far as it can get: the position, and all orders that may open more of it. */
type Exposure = { position: bigint; buys: bigint; sells: bigint; price: bigint }

/**
 * What an account that trades with margin would be worth at most after the action: its position in each market with all
 * open orders of its worse side filled, those that are approved, and this action's. Undefined where the account or a market
 * is not known.
 */
export function projectMargin(
  action: DecodedAction,
  facts: Facts,
): Readonly<{ notional: MicroUsd; equity: MicroUsd }> | undefined {
  const account = known(facts.margin)
  if (account === undefined || facts.standing?.status === 'unavailable') return undefined
  const standing = known(facts.standing)
  const markets = new Map<string, Exposure>()
  const at = (market: string): Exposure => {
    const found = markets.get(market) ?? { position: 0n, buys: 0n, sells: 0n, price: 0n }
    markets.set(market, found)
    return found
  }
  for (const { market, size, mark } of account.positions) {
    const exposure = at(market)
    exposure.position += exactly(size)
    exposure.price = highest(exposure.price, exactly(mark))
  }
  for (const { market, side, size, price, reduceOnly } of [...account.orders, ...(standing?.orders ?? [])])
    if (!reduceOnly) open(at(market), side, exactly(size), exactly(price))
  for (const leg of action.legs) {
    const { order } = leg
    if (order === undefined || order.reduceOnly) continue
    const market = marketOf(order.market, facts)
    if (market === undefined) return undefined
    if (market.kind === 'perp') open(at(order.market), order.side, exactly(order.size), dearest(order, market))
  }
  const notional = [...markets.values()].reduce((sum, one) => sum + worst(one), 0n)
  const leaving = BigInt(standing?.marginMicroUsd ?? 0)
  return { notional, equity: BigInt(account.equityMicroUsd) + marginOf(action.legs) - leaving }
}

/** The same as one account, in the shape in which lending venues have theirs: what margin does not cover is borrowed. */
export function marginAccount(action: DecodedAction, facts: Facts): ProjectedAccount | undefined {
  const projected = projectMargin(action, facts)
  if (projected === undefined) return undefined
  const { notional, equity } = projected
  const supplied = highest(notional, equity)
  const borrowed = supplied - equity
  const venue = marginVenue(action) ?? action.protocol
  return { protocol: venue, market: venue, supplied, borrowed }
}

function open(exposure: Exposure, side: 'buy' | 'sell', size: bigint, price: bigint): void {
  if (side === 'buy') exposure.buys += size
  else exposure.sells += size
  exposure.price = highest(exposure.price, price)
}

function worst({ position, buys, sells, price }: Exposure): MicroUsd {
  return worthOf(highest(absolute(position + buys), absolute(position - sells)), price)
}

function marginOf(legs: readonly Leg[]): MicroUsd {
  return legs.reduce((sum, { margin = 0n }) => sum + margin, 0n)
}

function highest(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
