import { z } from 'zod'
import { ok, refuse } from '../../lib/result.ts'
import { predictionCancel as cancelOf, predictionsOf } from '../predictions.ts'
import { defineActionTool } from '../tool.ts'

const MOST = 100

/** Takes back what rests of the account's orders in a market. */
export const predictionCancel = defineActionTool({
  name: 'prediction_cancel',
  description: "Proposes to cancel the account's open orders in one market at Polymarket.",
  input: z.strictObject({
    market: z.string().min(1).max(256).describe('Name of the market, like "will-it-rain-tomorrow".'),
  }),
  async propose({ market: slug }, context) {
    const predictions = predictionsOf(context)
    if (!predictions.ok) return predictions
    const market = await predictions.value.market(slug.toLowerCase())
    if (market === undefined) return refuse(`The venue has no open market "${slug.slice(0, 80)}".`)
    const open = await predictions.value.openOrders()
    if (!open.ok) return open
    const tokens = new Set(market.outcomes.map(({ id }) => id))
    const ids = open.value.flatMap((order) => (tokens.has(order.market) ? [order.id] : [])).slice(0, MOST)
    if (ids.length === 0) return refuse(`There is no open order in ${market.slug} that could be cancelled.`)
    const summary = `Cancel ${ids.length} open ${ids.length === 1 ? 'order' : 'orders'} in ${market.slug}`
    return ok({ steps: [{ summary, tx: cancelOf(ids) }] })
  },
})
