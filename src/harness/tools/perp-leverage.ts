import { z } from 'zod'
import { ok } from '../../lib/result.ts'
import { orderAction, perpMarket, perpsOf } from '../perps.ts'
import { defineActionTool } from '../tool.ts'

/** Sets the leverage of a market. */
export const perpLeverage = defineActionTool({
  name: 'perp_leverage',
  description: 'Proposes the leverage of one market at Hyperliquid, for positions opened from now on.',
  input: z.strictObject({
    market: z.string().min(1).max(32).describe('Symbol of the market, like "BTC", or "dex:SYMBOL".'),
    leverage: z.int().min(1).max(100),
    margin: z.enum(['cross', 'isolated']).default('cross'),
  }),
  async propose({ market: symbol, leverage, margin }, context) {
    const perps = perpsOf(context)
    if (!perps.ok) return perps
    const market = await perpMarket(perps.value, symbol)
    if (!market.ok) return market
    const { id, symbol: name } = market.value
    const action = { type: 'updateLeverage', asset: id, isCross: margin === 'cross', leverage }
    return ok({
      steps: [{ summary: `Set the leverage of ${name} to ${leverage} (${margin})`, tx: orderAction(action, context) }],
    })
  },
})
