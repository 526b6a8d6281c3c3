import { type Address, checksumAddress, toAddress } from '../lib/address.ts'
import { formatUsd, groupThousands, toMicroUsd } from '../lib/usd.ts'
import type { DecodedLeg, DecodedProjection } from '../schema/decoded-action.ts'

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

/** Where the account would stand after it, as lines of a card. */
export function projectionLines(
  projection: DecodedProjection | undefined,
): readonly Readonly<{ label: string; text: string }>[] {
  if (projection === undefined) return []
  const { leverage, notionalUsd, equityUsd, liquidations } = projection
  const amounts = `${dollars(notionalUsd)} in positions, ${dollars(equityUsd)} behind them`
  const times = leverage === null ? 'without limit' : `up to ${leverage}`
  return [
    { label: 'leverage after', text: `${times}: ${amounts}` },
    ...liquidations.flatMap((one) => {
      const text = liquidationText(one)
      return text === undefined ? [] : [{ label: 'liquidation', text: `${one.symbol} ${text}` }]
    }),
  ]
}

function liquidationText({ price, distanceBps, why }: DecodedProjection['liquidations'][number]): string | undefined {
  if (distanceBps === 0) return 'at once'
  if (price !== null && distanceBps !== null)
    return `at about ${groupThousands(price)}, ${(distanceBps / 100).toFixed(1)} % from the mark`
  if (why === 'nothing held') return undefined
  return why === 'covered' ? 'at no price: the account covers it to the last' : 'at a price that the venue alone knows'
}

function dollars(decimal: string): string {
  return formatUsd(toMicroUsd(Number(decimal)))
}
