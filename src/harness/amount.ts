import { ok, type Result, refuse } from '../lib/result.ts'
import { formatDecimal, groupThousands, parseDecimal } from '../lib/usd.ts'
import type { TokenInfo } from '../registry/index.ts'
import type { NativeInfo } from './tool.ts'

const DECIMAL = /^\d{1,78}(\.\d{1,78})?$/

const MAX_UINT256 = (1n << 256n) - 1n

/**
 * The smallest units of an amount written as a decimal text. Exact: digits that the token cannot hold are refused, never
 * rounded away.
 */
export function parseAmount(text: string, token: TokenInfo | NativeInfo): Result<bigint> {
  if (!DECIMAL.test(text)) return refuse(`The amount "${text.slice(0, 80)}" is no decimal number like 100 or 0.25.`)
  const fraction = (text.split('.')[1] ?? '').replace(/0+$/, '')
  if (fraction.length > token.decimals)
    return refuse(`The amount ${text} has more decimals than the ${token.decimals} of ${token.symbol}.`)
  const amount = parseDecimal(text, token.decimals)
  return amount <= MAX_UINT256 ? ok(amount) : refuse(`The amount ${text} is larger than any token holds.`)
}

/** As `parseAmount`, and more than zero. */
export function parsePositiveAmount(text: string, token: TokenInfo | NativeInfo): Result<bigint> {
  const amount = parseAmount(text, token)
  return amount.ok && amount.value === 0n ? refuse('The amount must be more than zero.') : amount
}

/** `10,000 USDC`. */
export function amountText(amount: bigint, token: TokenInfo | NativeInfo): string {
  return `${groupThousands(formatDecimal(amount, token.decimals))} ${token.symbol}`
}

const SHARE = /^(\d{1,3}(?:\.\d{1,4})?)\s?%$/

/** What the parts of a holding are parts of. */
export type Holding = Readonly<{ token: TokenInfo | NativeInfo; available(): Promise<bigint> }>

/**
 * As `parsePositiveAmount`, and also "all" and "50%" of a holding, resolved to an exact amount now (rounded down). All of
 * the chain's own coin is refused: nothing would be left for fees.
 */
export async function resolveAmount(text: string, { token, available }: Holding): Promise<Result<bigint>> {
  const wanted = text.trim().toLowerCase()
  const share = wanted === 'all' ? '100' : SHARE.exec(wanted)?.[1]
  if (share === undefined) return parsePositiveAmount(text, token)
  const parts = parseDecimal(share, 4)
  if (parts > WHOLE) return refuse('amount: more than 100 % of what there is.')
  if (parts === WHOLE && token.address === 'native')
    return refuse(`amount: all of the ${token.symbol} leaves nothing for fees; say an amount.`)
  const amount = ((await available()) * parts) / WHOLE
  return amount > 0n ? ok(amount) : refuse(`amount: there is no ${token.symbol}, so ${text} of it is nothing.`)
}

/** 100 % in parts of a ten-thousandth of a percent. */
const WHOLE = 1_000_000n
