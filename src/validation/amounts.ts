import { formatDecimal, parseDecimal } from '../lib/usd.ts'
import { assetText, decimalsOf, type Effect, type Movement } from './effect.ts'

/** The smallest units of a decimal amount; undefined where it has more digits than the token. */
export function unitsOf(value: string, decimals: number): bigint | undefined {
  const fraction = value.split('.')[1] ?? ''
  return fraction.length > decimals ? undefined : parseDecimal(value, decimals)
}

/** An amount in words: `1.5 WETH`, or in smallest units where the token is not known. */
export function movementText({ asset, amount }: Pick<Movement, 'asset' | 'amount'>, effect: Effect): string {
  const symbol = assetText(asset, effect)
  if (amount === null) return `all of the ${symbol}`
  const decimals = decimalsOf(asset, effect)
  return decimals === undefined ? `${amount} units of ${symbol}` : `${formatDecimal(amount, decimals)} ${symbol}`
}

/** What movements are worth in micro-USD: undefined where a price or the token is not known. */
export function worthOf(movements: readonly Movement[], effect: Effect): bigint | undefined {
  if (!('value' in effect.prices)) return undefined
  let total = 0n
  for (const { asset, amount } of movements) {
    const price = effect.prices.value[asset]
    const decimals = decimalsOf(asset, effect)
    if (amount === null || decimals === undefined || price === undefined || price === null) return undefined
    total += (amount * price) / 10n ** BigInt(decimals + 2)
  }
  return total
}

/** All of one asset together; null where any of it is all there is. */
export function totalOf(movements: readonly Movement[]): bigint | null {
  return movements.some(({ amount }) => amount === null)
    ? null
    : movements.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n)
}

/** Whether `a` is within so many basis points of `b`. */
export function isNear(a: bigint, b: bigint, bps: bigint): boolean {
  const difference = a > b ? a - b : b - a
  return difference * 10_000n <= b * bps
}
