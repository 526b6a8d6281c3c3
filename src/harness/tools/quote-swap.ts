import { z } from 'zod'
import { ok } from '../../lib/result.ts'
import { formatDecimal } from '../../lib/usd.ts'
import { amountText } from '../amount.ts'
import { SwapTerms, swapTerms } from '../swap-terms.ts'
import { defineReadTool } from '../tool.ts'

/** What a swap would give now, with the limit that the swap tool would set. */
export const quoteSwap = defineReadTool({
  name: 'quote_swap',
  description: 'Quotes a swap on Uniswap: what it costs and what it gives now. Changes nothing.',
  input: z.strictObject(SwapTerms),
  async read(args, context) {
    const terms = await swapTerms(args, context)
    if (!terms.ok) return terms
    const { sell, buy, quote, maximumIn, minimumOut } = terms.value
    const limit =
      args.side === 'exact-in'
        ? `at least ${amountText(minimumOut, buy)} would be guaranteed`
        : `at most ${amountText(maximumIn, sell)} would be paid`
    return ok({
      message: `${amountText(quote.amountIn, sell)} give ${amountText(quote.amountOut, buy)} now; ${limit}.`,
      sell: { symbol: sell.symbol, amount: formatDecimal(quote.amountIn, sell.decimals) },
      buy: { symbol: buy.symbol, amount: formatDecimal(quote.amountOut, buy.decimals) },
      maximumInput: formatDecimal(maximumIn, sell.decimals),
      minimumOutput: formatDecimal(minimumOut, buy.decimals),
      pool: `uniswap ${quote.pool}, fee ${quote.fee / 10_000} %`,
    })
  },
})
