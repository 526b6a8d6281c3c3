import { z } from 'zod'
import { ok, type Result, refuse } from '../lib/result.ts'
import { type TokenInfo, wrappedNative } from '../registry/index.ts'
import { parsePositiveAmount, resolveAmount } from './amount.ts'
import type { NativeInfo, Quote, ToolContext } from './tool.ts'

const FULL_BPS = 10_000n

/** What a model says about a swap, quoted or proposed. */
export const SwapTerms = {
  sell: z.string().min(1).max(64).describe('Token to pay with: symbol or address.'),
  buy: z.string().min(1).max(64).describe('Token to receive: symbol or address.'),
  amount: z
    .string()
    .max(160)
    .describe('Decimal amount as text, like "100" or "0.25"; with exact-in also "50%" or "all" of what is held.'),
  side: z
    .enum(['exact-in', 'exact-out'])
    .default('exact-in')
    .describe('exact-in: the amount is of the token paid with. exact-out: of the token received.'),
}

type Asked = z.output<z.ZodObject<typeof SwapTerms>>

/** A swap in exact amounts: the quote of now, and the limits that the allowed slippage gives. */
export type Terms = Readonly<{
  sell: TokenInfo | NativeInfo
  buy: TokenInfo | NativeInfo
  quote: Quote
  /** Exactly what is paid, or at most where the output is exact. */
  maximumIn: bigint
  /** At least what arrives, or exactly that where the output is exact. */
  minimumOut: bigint
}>

/** Resolves both tokens, reads the amount exactly, and asks for a quote. */
export async function swapTerms(args: Asked, context: ToolContext): Promise<Result<Terms>> {
  const [sell, buy] = await Promise.all([context.reader.token(args.sell), context.reader.token(args.buy)])
  if (!sell.ok) return sell
  if (!buy.ok) return buy
  if (underlying(sell.value, context.chainId) === underlying(buy.value, context.chainId))
    return refuse(`${sell.value.symbol} and ${buy.value.symbol} are the same asset: there is nothing to swap.`)
  const paid = sell.value
  const amount =
    args.side === 'exact-in'
      ? await resolveAmount(args.amount, { token: paid, available: () => context.reader.balance(paid) })
      : parsePositiveAmount(args.amount, buy.value)
  if (!amount.ok) return amount
  const quote = await context.reader.quote(sell.value, buy.value, amount.value, args.side)
  if (!quote.ok) return quote
  const bps = BigInt(context.slippageBps)
  const { amountIn, amountOut } = quote.value
  // Rounded against the trade on both sides, so that a limit never lies beyond the allowed slippage.
  const limits =
    args.side === 'exact-in'
      ? { maximumIn: amountIn, minimumOut: (amountOut * (FULL_BPS - bps) + FULL_BPS - 1n) / FULL_BPS }
      : { maximumIn: (amountIn * (FULL_BPS + bps)) / FULL_BPS, minimumOut: amountOut }
  return ok({ sell: sell.value, buy: buy.value, quote: quote.value, ...limits })
}

function underlying(token: TokenInfo | NativeInfo, chainId: number): string {
  return token.address === 'native' ? (wrappedNative(chainId) ?? 'native') : token.address
}
