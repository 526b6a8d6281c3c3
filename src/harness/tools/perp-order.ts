import { z } from 'zod'
import { ok } from '../../lib/result.ts'
import { orderAction, perpMarket, perpsOf, wirePrice, wireSize } from '../perps.ts'
import { defineActionTool } from '../tool.ts'

const FULL_BPS = 10_000

/** How far from the mark a limit is that limits nothing. */
const NO_BOUND = { buy: 10, sell: 0.1 } as const

const Decimal = z.string().regex(/^\d{1,15}(\.\d{1,18})?$/, 'expected a decimal number as text')

/** Opens, grows or shrinks a position of perpetuals. */
export const perpOrder = defineActionTool({
  name: 'perp_order',
  description:
    'Proposes an order for a perpetual at Hyperliquid. Without a price it fills at once or not at all, up to the bound that the policy sets around the mark price.',
  input: z.strictObject({
    market: z.string().min(1).max(32).describe('Symbol of the market, like "BTC", or "dex:SYMBOL".'),
    side: z.enum(['buy', 'sell']).describe('buy goes long, sell goes short.'),
    size: Decimal.describe('Size in units of the market as text, like "0.01".'),
    price: Decimal.optional().describe(
      'Limit price in US dollars as text; the order then stands until it is cancelled.',
    ),
    reduceOnly: z.boolean().default(false).describe('Only shrink an open position.'),
    unbounded: z.boolean().default(false).describe('Without any price bound. The policy refuses such orders.'),
  }),
  async propose({ market: symbol, side, size: text, price, reduceOnly, unbounded }, context) {
    const perps = perpsOf(context)
    if (!perps.ok) return perps
    const market = await perpMarket(perps.value, symbol)
    if (!market.ok) return market
    const size = wireSize(text, market.value)
    if (!size.ok) return size
    const share = (await perps.value.boundBps()) / FULL_BPS
    const factor = unbounded ? NO_BOUND[side] : side === 'buy' ? 1 + share : 1 - share
    const limit = wirePrice(
      price === undefined ? Number(market.value.mark) * factor : Number(price),
      market.value,
      side,
    )
    const cloid = `0x${crypto.randomUUID().replaceAll('-', '')}`
    const order = {
      a: market.value.id,
      b: side === 'buy',
      p: limit,
      s: size.value,
      r: reduceOnly,
      t: { limit: { tif: price === undefined ? 'Ioc' : 'Gtc' } },
      c: cloid,
    }
    const summary = `${side === 'buy' ? 'Buy' : 'Sell'} ${size.value} ${market.value.symbol} perpetual at ${limit} or better`
    return ok({ steps: [{ summary, tx: orderAction({ type: 'order', orders: [order], grouping: 'na' }, context) }] })
  },
})
