import { z } from 'zod'
import { ok } from '../../lib/result.ts'
import { perpsOf } from '../perps.ts'
import { defineReadTool } from '../tool.ts'

/** What the wallet has open at the venue of perpetuals. */
export const perpPositions = defineReadTool({
  name: 'perp_positions',
  description: "Reads the wallet's margin, open positions and open orders at Hyperliquid.",
  input: z.strictObject({}),
  async read(_args, context) {
    const perps = perpsOf(context)
    if (!perps.ok) return perps
    const account = await perps.value.account()
    const positions = account.positions.map(({ symbol, size, mark, profit, liquidation }) => {
      const [side, amount] = size.startsWith('-') ? ['short', size.slice(1)] : ['long', size]
      const end = liquidation === null ? '' : `, liquidated at ${liquidation}`
      return `${side} ${amount} ${symbol} at a mark of ${mark ?? 'unknown'} (profit ${profit}${end})`
    })
    const orders = account.orders.map(({ side, size, symbol, price }) => `${side} ${size} ${symbol} at ${price}`)
    const parts = [
      `The margin is worth ${account.equity} US dollars, ${account.withdrawable} of it can be withdrawn`,
      positions.length > 0 ? `open: ${positions.join(', ')}` : 'no position is open',
      ...(orders.length > 0 ? [`waiting: ${orders.join(', ')}`] : []),
    ]
    return ok({ message: `${parts.join('; ')}.`, ...account })
  },
})
