import { z } from 'zod'
import { ok } from '../../lib/result.ts'
import { perpMarket, perpsOf } from '../perps.ts'
import { defineReadTool } from '../tool.ts'

/** The mark price of a market of perpetuals, and what the venue takes there. */
export const marketPrice = defineReadTool({
  name: 'market_price',
  description:
    'Reads the mark price of one market of perpetuals at Hyperliquid, its smallest size, and the leverage that it allows at most.',
  input: z.strictObject({
    market: z.string().min(1).max(32).describe('Symbol of the market, like "BTC", or "dex:SYMBOL".'),
  }),
  async read({ market: symbol }, context) {
    const perps = perpsOf(context)
    if (!perps.ok) return perps
    const market = await perpMarket(perps.value, symbol)
    if (!market.ok) return market
    const { symbol: name, mark, sizeDecimals, maxLeverage } = market.value
    const smallestSize = (10 ** -sizeDecimals).toFixed(sizeDecimals)
    const message = `The mark price of ${name} is ${mark} US dollars; the smallest size is ${smallestSize}, and at most ${maxLeverage} times leverage can be set.`
    return ok({ message, symbol: name, mark, smallestSize, maxLeverage })
  },
})
