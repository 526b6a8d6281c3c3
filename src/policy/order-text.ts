import type { DecodedAction, Leg, VenueOrder } from './decoded-action.ts'
import type { Facts } from './facts.ts'
import { marketOf } from './order.ts'

/** What a leg does at a venue that takes orders, in words: `buy 0.01 BTC at 60500 or better, Ioc`. */
export function tradingTexts({ wallet }: DecodedAction, leg: Leg, facts: Facts): readonly string[] {
  const { order, leverage, margin, kind } = leg
  const texts: string[] = []
  if (order) texts.push(orderText(order, wallet, facts))
  if (leverage)
    texts.push(`${leverage.margin} leverage of ${symbolOf(leverage.market, facts)} is set to ${leverage.leverage}`)
  if (kind === 'cancel') texts.push('orders are taken back')
  if (margin !== undefined && leg.spends.length + leg.receives.length === 0)
    texts.push(margin < 0n ? 'dollars leave the margin for the spot balance' : 'dollars go to the margin')
  return texts
}

function orderText(order: VenueOrder, wallet: string, facts: Facts): string {
  const { side, size, price, trigger, reduceOnly, timeInForce, account, feeTo } = order
  const at = price === null ? 'at any price' : `at ${price} or better`
  const parts = [
    `${side} ${size} ${symbolOf(order.market, facts)} ${at}`,
    ...(trigger === null ? [] : [`once ${trigger} is reached`]),
    timeInForce,
    ...(reduceOnly ? ['only to reduce'] : []),
    ...(account === wallet ? [] : [`for ${account}`]),
    ...(feeTo === null ? [] : [`with a fee to ${feeTo}`]),
  ]
  return parts.join(', ')
}

function symbolOf(market: string, facts: Facts): string {
  return marketOf(market, facts)?.symbol ?? `market ${market}`
}
