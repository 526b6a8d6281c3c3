import { z } from 'zod'
import { ok } from '../../lib/result.ts'
import { defineReadTool } from '../tool.ts'

/** What a token costs. */
export const price = defineReadTool({
  name: 'price',
  description: 'Reads the US dollar price of a token from the sources that the policy uses.',
  input: z.strictObject({ token: z.string().min(1).max(64).describe('Symbol or address.') }),
  async read({ token: name }, { reader }) {
    const token = await reader.token(name)
    if (!token.ok) return token
    const { symbol, address } = token.value
    const usd = await reader.usdPrice(token.value)
    const message = usd === undefined ? `No source knows the price of ${symbol}.` : `1 ${symbol} costs $${usd} now.`
    return ok({ message, symbol, address, usd: usd ?? null })
  },
})
