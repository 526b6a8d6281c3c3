import { z } from 'zod'
import { ok, refuse } from '../../lib/result.ts'
import { orderAction, perpMarket, perpsOf } from '../perps.ts'
import { defineActionTool } from '../tool.ts'

/** Takes back what rests of the wallet's orders in a market. */
export const perpCancel = defineActionTool({
  name: 'perp_cancel',
  description: "Proposes to cancel the wallet's open orders in one market at Hyperliquid.",
  input: z.strictObject({
    market: z.string().min(1).max(32).describe('Symbol of the market, like "BTC", or "dex:SYMBOL".'),
  }),
  async propose({ market: symbol }, context) {
    const perps = perpsOf(context)
    if (!perps.ok) return perps
    const market = await perpMarket(perps.value, symbol)
    if (!market.ok) return market
    const { id, symbol: name } = market.value
    const { orders } = await perps.value.account()
    const keys = orders.flatMap((order) => (order.symbol === name && order.cloid !== null ? [order.cloid] : []))
    if (keys.length === 0) return refuse(`There is no open order in ${name} that could be cancelled.`)
    const cancels = keys.slice(0, 100).map((cloid) => ({ asset: id, cloid }))
    const summary = `Cancel ${cancels.length} open ${cancels.length === 1 ? 'order' : 'orders'} in ${name}`
    return ok({ steps: [{ summary, tx: orderAction({ type: 'cancelByCloid', cancels }, context) }] })
  },
})
