import { z } from 'zod'
import { checksumAddress } from '../../lib/address.ts'
import { ok } from '../../lib/result.ts'
import { Address } from '../../schema/primitives.ts'
import { amountText, resolveAmount } from '../amount.ts'
import { nativeTransfer, tokenTransfer } from '../token-calldata.ts'
import { defineActionTool } from '../tool.ts'

/** Sends the chain's own coin or a token. */
export const transfer = defineActionTool({
  name: 'transfer',
  description: "Proposes to send the chain's own coin or a token from the wallet to an address.",
  input: z.strictObject({
    token: z.string().min(1).max(64).describe("Symbol or address; the chain's own coin by its symbol."),
    to: Address.describe('Address of the receiver.'),
    amount: z
      .string()
      .max(160)
      .describe('Decimal amount as text, like "100" or "0.25"; "50%" or "all" of what is held.'),
  }),
  async propose({ token: name, to, amount: text }, { chainId, reader }) {
    const token = await reader.token(name)
    if (!token.ok) return token
    const held = token.value
    const amount = await resolveAmount(text, { token: held, available: () => reader.balance(held) })
    if (!amount.ok) return amount
    const { address } = token.value
    const tx =
      address === 'native'
        ? nativeTransfer(chainId, to, amount.value)
        : tokenTransfer(chainId, address, to, amount.value)
    return ok({ steps: [{ summary: `Send ${amountText(amount.value, token.value)} to ${checksumAddress(to)}`, tx }] })
  },
})
