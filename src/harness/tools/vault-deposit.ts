import { z } from 'zod'
import { ok } from '../../lib/result.ts'
import { amountText, resolveAmount } from '../amount.ts'
import { vaultDeposit as depositCall } from '../lending-calldata.ts'
import { depositSteps } from '../lending-steps.ts'
import { vaultNamed } from '../lending-venue.ts'
import { defineActionTool } from '../tool.ts'

/** Puts a vault's token into it. */
export const vaultDeposit = defineActionTool({
  name: 'vault_deposit',
  description: 'Proposes to deposit into a known vault. An approval that is needed is proposed with it.',
  input: z.strictObject({
    vault: z.string().min(1).max(120).describe('Name or address of the vault.'),
    amount: z.string().max(160).describe('Decimal amount of its token as text; "50%" or "all" of what is held.'),
  }),
  async propose({ vault: name, amount: text }, { chainId, wallet, reader }) {
    const vault = vaultNamed(chainId, name)
    if (!vault.ok) return vault
    const { where, token } = vault.value
    const amount = await resolveAmount(text, { token, available: () => reader.balance(token) })
    if (!amount.ok) return amount
    const tx = depositCall({ chainId, venue: where.venue, to: where.address, wallet }, amount.value)
    const summary = `Deposit ${amountText(amount.value, token)} into ${where.name}`
    return ok({
      steps: await depositSteps({ summary, tx }, { token, spender: where.address, amount: amount.value }, reader),
    })
  },
})
