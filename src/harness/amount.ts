import { ok, type Result, refuse } from '../lib/result.ts'
import { formatDecimal, parseDecimal } from '../lib/usd.ts'
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

/** `100 USDC`. */
export function amountText(amount: bigint, token: TokenInfo | NativeInfo): string {
  return `${formatDecimal(amount, token.decimals)} ${token.symbol}`
}
