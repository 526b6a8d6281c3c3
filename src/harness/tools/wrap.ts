import { z } from 'zod'
import { ok, refuse } from '../../lib/result.ts'
import { contractAt, wrappedNative } from '../../registry/index.ts'
import { amountText, resolveAmount } from '../amount.ts'
import { wrapping } from '../lending-calldata.ts'
import { defineActionTool } from '../tool.ts'

/** Wraps the chain's own coin. */
export const wrap = defineActionTool({
  name: 'wrap',
  description: "Proposes to wrap the chain's own coin, so that it can be used as a token.",
  input: z.strictObject({ amount: z.string().max(160).describe('Decimal amount as text, or a share like "50%".') }),
  async propose({ amount: text }, { chainId, reader }) {
    const native = await reader.token('native')
    if (!native.ok) return native
    const to = wrappedNative(chainId)
    if (!to) return refuse(`No wrapped coin is known on chain ${chainId}.`)
    const amount = await resolveAmount(text, { token: native.value, available: () => reader.balance(native.value) })
    if (!amount.ok) return amount
    const venue = contractAt(chainId, to)?.venue ?? 'weth'
    const summary = `Wrap ${amountText(amount.value, native.value)}`
    return ok({ steps: [{ summary, tx: wrapping({ chainId, venue, to }, amount.value) }] })
  },
})
