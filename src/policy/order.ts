import type { MicroUsd } from '../lib/usd.ts'
import type { DecodedAction, Leg, VenueOrder } from './decoded-action.ts'
import { type Facts, known, type VenueMarket } from './facts.ts'

/** Decimals in which sizes and prices are computed: no market has finer ones. */
const SCALE = 12
const ONE = 10n ** BigInt(SCALE)
const MICRO = 10n ** 6n

/** An exact decimal text, below zero allowed, as an integer of 10^-12. What is finer counts as one more. */
export function exactly(text: string): bigint {
  const negative = text.startsWith('-')
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
  const kept = BigInt(whole + fraction.slice(0, SCALE).padEnd(SCALE, '0'))
  const value = /[1-9]/.test(fraction.slice(SCALE)) ? kept + 1n : kept
  return negative ? -value : value
}

/** Micro-USD of a size at a price, both as `exactly` has them, rounded up. */
export function worthOf(size: bigint, price: bigint): MicroUsd {
  return ceilDiv(size * price * MICRO, ONE * ONE)
}

/** The market of an order or a setting, where it is known. */
export function marketOf(market: string, facts: Facts): VenueMarket | undefined {
  return known(facts.markets)?.[market] ?? undefined
}

/** The first market of an action that the venue does not have. */
export function unknownMarket({ legs }: DecodedAction, facts: Facts): string | undefined {
  const markets = known(facts.markets)
  return legs
    .flatMap(({ order, leverage }) => order?.market ?? leverage?.market ?? [])
    .find((market) => markets?.[market] === null)
}

/** What an order is worth, and what of it may leave the account: its margin, or all of it where there is no margin. */
export type OrderValue = Readonly<{ notional: MicroUsd; held: MicroUsd }>

/** An order's value at the price that is worse for the account: its own limit, or the mark. Nothing for what is no order. */
export function orderValue({ order }: Leg, facts: Facts): OrderValue | undefined {
  if (order === undefined) return { notional: 0n, held: 0n }
  const market = marketOf(order.market, facts)
  if (market === undefined) return undefined
  const notional = worthOf(exactly(order.size), dearest(order, market))
  if (market.kind === 'spot') return { notional, held: notional }
  if (order.reduceOnly) return { notional, held: 0n }
  return { notional, held: ceilDiv(notional, BigInt(market.leverage ?? 1)) }
}

/** The highest price at which an order counts: a sale's limit is its least, and it may be filled at the mark. */
export function dearest({ price, trigger }: VenueOrder, { mark }: Pick<VenueMarket, 'mark'>): bigint {
  const prices = [price, trigger, mark].flatMap((text) => (text === null ? [] : [exactly(text)]))
  return prices.reduce((highest, one) => (one > highest ? one : highest), 0n)
}

function ceilDiv(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b
}
