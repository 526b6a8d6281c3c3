import { parseDecimal } from '../lib/usd.ts'
import type { DecodedLeg } from '../schema/decoded-action.ts'
import { isNear } from './amounts.ts'
import type { Effect } from './effect.ts'
import type { Inspection } from './inspection.ts'
import { amountText, type Intent } from './intent.ts'
import type { Finding } from './node.ts'

type Order = NonNullable<DecodedLeg['order']>

/** Enough for any size or price of a venue. */
const DECIMALS = 18
const DOLLARS = 300n
const ABOUT = 1_000n
const FULL = 10_000n

/** The order of an effect that is one. */
export function orderOf({ main }: Effect): Order | undefined {
  return main.length === 1 ? main[0]?.order : undefined
}

/** The side and the account are the ones that were asked for. */
export function matchOrder(order: Order, { side }: Intent, wallet: string): Finding | undefined {
  if (order.account !== wallet) return { fail: `It trades for ${order.account}, who did not ask.` }
  if (order.trigger !== null) return { fail: `It waits for a price of ${order.trigger}, which was not asked for.` }
  if (order.reduceOnly) return { fail: 'It can only shrink a position, which was not asked for.' }
  if (side === null) return { fail: 'The request does not say whether to buy or to sell.' }
  if (side !== order.side)
    return { fail: `You said ${side}, and it is a ${order.side}.`, details: { intended: side, actual: order.side } }
  return undefined
}

/** The market is the one that was named. A market whose symbol no source said is not known. */
export function matchMarket({ symbol, market }: Order, { tokenIn }: Intent): Finding {
  if (symbol === null) return { down: `The venue did not say what its market ${market} is.` }
  if (tokenIn === null) return { fail: 'The request does not name a market.' }
  if (symbol.toUpperCase() === tokenIn) return { pass: `The market is ${symbol}.` }
  return {
    fail: `${tokenIn} was asked for, and the market is ${symbol}.`,
    details: { intended: tokenIn, actual: symbol },
  }
}

/** The size is the one that was asked for: to the last digit, or near it in US dollars at the order's own price. */
export function matchSize({ size, price }: Order, { amount }: Intent): Finding {
  if (amount === null) return { fail: 'The request does not say how much.' }
  const details = { intended: amountText(amount), actual: size }
  const wrong: Finding = { fail: `You said ${amountText(amount)}, and the order is for ${size}.`, details }
  const right: Finding = { pass: `It is for ${size}, as asked for.`, details }
  const actual = parseDecimal(size, DECIMALS)
  if (amount.kind === 'tokens') {
    const meant = parseDecimal(amount.value, DECIMALS)
    return (amount.about ? isNear(actual, meant, ABOUT) : actual === meant) ? right : wrong
  }
  if (amount.kind !== 'usd') return { unable: 'How much there is at the venue is not known.' }
  if (price === null) return { unable: 'Without a price its worth is not known.' }
  const worth = (actual * parseDecimal(price, DECIMALS)) / 10n ** BigInt(DECIMALS)
  return isNear(worth, parseDecimal(amount.value, DECIMALS), amount.about ? ABOUT : DOLLARS) ? right : wrong
}

/** What a limit is compared with: the prices of markets, and how much worse than them it may be, in basis points. */
type Bound = Readonly<{ marks: Inspection['marks']; mostBps: number }>

/**
 * An order must say the worst price that it may be filled at, and one that is not far beyond the market's. What the order
 * comes to is not known here: a bound of the request is not held to be kept.
 */
export function matchPrice(
  order: Order,
  { slippageBps, minimumOut, maximumIn }: Intent,
  { marks, mostBps }: Bound,
): Finding {
  const { price, side, market } = order
  if (price === null) return { fail: 'The order bounds no price: it may be filled at any.' }
  if (slippageBps !== null || minimumOut !== null || maximumIn !== null)
    return { unable: 'Whether the order keeps the bound that was asked for is not known.' }
  if ('missing' in marks) return { down: `The market's price could not be read: ${marks.missing}` }
  const mark = marks.value[market] ?? null
  if (mark === null) return { unable: `No price of market ${market} is known to compare the limit with.` }
  const [limit, reference] = [parseDecimal(price, DECIMALS), parseDecimal(mark, DECIMALS)]
  const worse = side === 'buy' ? limit - reference : reference - limit
  const details = { price, mark, allowedBps: mostBps }
  if (worse * FULL <= reference * BigInt(mostBps)) return { pass: `It is filled at ${price} or better.`, details }
  return {
    fail: `The limit of ${price} is more than ${mostBps / 100} % ${side === 'buy' ? 'above' : 'below'} the market's ${mark}.`,
    details,
  }
}
