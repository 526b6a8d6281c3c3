import { type Address, checksumAddress, toAddress } from '../lib/address.ts'
import type { DecodedLeg } from '../schema/decoded-action.ts'

/** What a leg does at a venue that takes orders, as lines of a card: made from what was decoded, never from a model's words. */
export function orderLines(
  { order, leverage, kind }: DecodedLeg,
  wallet: Address,
): readonly Readonly<{ label: string; text: string }>[] {
  const lines: { label: string; text: string }[] = []
  if (order) {
    const { side, size, symbol, market, price, trigger, timeInForce, reduceOnly, account, feeTo } = order
    const at = price === null ? 'at ANY price' : `at ${price} or better`
    const rest = [timeInForce, ...(trigger === null ? [] : [`once ${trigger} is reached`])]
    if (reduceOnly) rest.push('only to reduce')
    lines.push({ label: side, text: [`${size} ${symbol ?? `of market ${market}`} ${at}`, ...rest].join(', ') })
    if (toAddress(account) !== wallet) lines.push({ label: 'for', text: checksumAddress(toAddress(account)) })
    if (feeTo !== null) lines.push({ label: 'fee to', text: checksumAddress(toAddress(feeTo)) })
  }
  if (leverage) {
    const market = leverage.symbol ?? `market ${leverage.market}`
    lines.push({ label: 'leverage', text: `${leverage.leverage} for ${market}, ${leverage.margin} margin` })
  }
  if (kind === 'cancel') lines.push({ label: 'takes back', text: 'open orders' })
  return lines
}
