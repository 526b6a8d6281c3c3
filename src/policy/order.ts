import { ceilDiv } from '../lib/integers.ts'
import type { MicroUsd } from '../lib/usd.ts'
import { POLYMARKET_MAX_FEE_BPS } from '../registry/index.ts'
import type { DecodedAction, Leg, VenueOrder } from './decoded-action.ts'
import { type Facts, known, type VenueMarket } from './facts.ts'

/** Decimals in which sizes and prices are computed: no market has finer ones. */
const SCALE = 12
const ONE = 10n ** BigInt(SCALE)
const MICRO = 10n ** 6n
const FULL_BPS = 10_000n
const UNITS = 1e12
/** Where a share of an outcome costs most in fees: the middle of all prices. */
const DEAREST = 0.5

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

/** The first market of an action that the venue does not have, or not at the contract that the order is signed for. */
export function unknownMarket({ legs, target }: DecodedAction, facts: Facts): string | undefined {
  const markets = known(facts.markets)
  return legs
    .flatMap(({ order, leverage }) => order?.market ?? leverage?.market ?? [])
    .find((market) => {
      const found = markets?.[market]
      return found === null || (found?.exchange !== undefined && found.exchange !== target)
    })
}

/** What an order is worth, and what of it may leave the account: its margin, or all of it where there is no margin. */
export type OrderValue = Readonly<{ notional: MicroUsd; held: MicroUsd }>

/** An order's value at the price that is worse for the account: its own limit, or the mark. Nothing for what is no order. */
export function orderValue({ order }: Leg, facts: Facts): OrderValue | undefined {
  if (order === undefined) return { notional: 0n, held: 0n }
  const market = marketOf(order.market, facts)
  if (market === undefined) return undefined
  if (market.kind === 'outcome') {
    const cost = outcomeValue(order, market)
    return { notional: cost, held: cost }
  }
  const notional = worthOf(exactly(order.size), dearest(order, market))
  if (market.kind === 'spot') return { notional, held: notional }
  if (order.reduceOnly) return { notional, held: 0n }
  return { notional, held: ceilDiv(notional, BigInt(market.leverage ?? 1)) }
}

/**
 * What an order for an outcome may cost, its fee included, which no signature covers: what is bought costs its limit at
 * most, and what is sold is worth the higher of limit and market.
 */
function outcomeValue({ side, size, price }: VenueOrder, { mark, fee }: VenueMarket): MicroUsd {
  const [limit, market, shares] = [exactly(price ?? '1'), exactly(mark), exactly(size)]
  const at = side === 'buy' || limit > market ? limit : market
  return worthOf(shares, at) + feeOf(worthOf(shares, at), side, limit, shares, fee)
}

/**
 * The larger of what the venue says it takes, at the price within the limit that makes it most, and of what the exchange
 * lets it take.
 */
function feeOf(
  worth: MicroUsd,
  side: 'buy' | 'sell',
  limit: bigint,
  shares: bigint,
  fee: VenueMarket['fee'],
): MicroUsd {
  const enforced = ceilDiv(worth * BigInt(POLYMARKET_MAX_FEE_BPS), FULL_BPS)
  if (fee === undefined) return enforced
  const price = Number(limit) / UNITS
  const dearest = side === 'buy' ? Math.min(price, DEAREST) : Math.max(price, DEAREST)
  const share = fee.rate * (dearest * (1 - dearest)) ** fee.exponent
  // One unit more than it comes to: the last digits of a power are not exact.
  const said = worthOf(shares, BigInt(Math.ceil(share * UNITS)) + 1n)
  return said > enforced ? said : enforced
}

/** The highest price at which an order counts: a sale's limit is its least, and it may be filled at the mark. */
export function dearest({ price, trigger }: VenueOrder, { mark }: Pick<VenueMarket, 'mark'>): bigint {
  const prices = [price, trigger, mark].flatMap((text) => (text === null ? [] : [exactly(text)]))
  return prices.reduce((highest, one) => (one > highest ? one : highest), 0n)
}
