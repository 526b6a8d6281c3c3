import { z } from 'zod'
import { parsePositiveAmount } from '../../src/harness/amount.ts'
import { defineReadTool } from '../../src/harness/tool.ts'
import { ok, refuse } from '../../src/lib/result.ts'
import { formatUsd, valueOf as worthOf } from '../../src/lib/usd.ts'

/** What an amount of a token is worth. */
export const valueOf = defineReadTool({
  name: 'value_of',
  description: 'Says what an amount of a token is worth in US dollars now.',
  // Strict: an argument that the tool does not know is refused, and the model is told which.
  input: z.strictObject({
    token: z.string().min(1).max(64).describe('Symbol or address.'),
    amount: z.string().max(160).describe('Decimal amount as text.'),
  }),
  // A tool is handed what it may read. It returns refusals, and throws nothing.
  async read({ token: name, amount: text }, { reader }) {
    const token = await reader.token(name)
    if (!token.ok) return token
    const amount = parsePositiveAmount(text, token.value)
    if (!amount.ok) return amount
    const price = await reader.usdPrice(token.value)
    if (price === undefined) return refuse(`No source knows the price of ${token.value.symbol}.`)
    const worth = worthOf(amount.value, token.value.decimals, BigInt(Math.round(price * 1e8)), 'down')
    return ok({ message: `${text} ${token.value.symbol} are worth ${formatUsd(worth)}.`, usd: formatUsd(worth) })
  },
})
