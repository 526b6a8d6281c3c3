import { z } from 'zod'
import { ok, refuse } from '../../lib/result.ts'
import { contractAt, wrappedNative } from '../../registry/index.ts'
import { amountText, resolveAmount } from '../amount.ts'
import { unwrapping } from '../lending-calldata.ts'
import { defineActionTool } from '../tool.ts'

/** Unwraps the chain's own coin. */
export const unwrap = defineActionTool({
  name: 'unwrap',
  description: "Proposes to turn the wrapped coin back into the chain's own coin.",
  input: z.strictObject({
    amount: z.string().max(160).describe('Decimal amount as text; "50%" or "all" of what is held wrapped.'),
  }),
  async propose({ amount: text }, { chainId, reader }) {
    const to = wrappedNative(chainId)
    if (!to) return refuse(`No wrapped coin is known on chain ${chainId}.`)
    const wrapped = await reader.token(to)
    if (!wrapped.ok) return wrapped
    const amount = await resolveAmount(text, { token: wrapped.value, available: () => reader.balance(wrapped.value) })
    if (!amount.ok) return amount
    const venue = contractAt(chainId, to)?.venue ?? 'weth'
    const summary = `Unwrap ${amountText(amount.value, wrapped.value)}`
    return ok({ steps: [{ summary, tx: unwrapping({ chainId, venue, to }, amount.value) }] })
  },
})
