import { z } from 'zod'
import { ok, refuse } from '../../lib/result.ts'
import { amountText, resolveAmount } from '../amount.ts'
import { vaultWithdrawal } from '../lending-calldata.ts'
import { vaultNamed } from '../lending-venue.ts'
import { defineActionTool } from '../tool.ts'

/** Takes a vault's token out of it. */
export const vaultWithdraw = defineActionTool({
  name: 'vault_withdraw',
  description: 'Proposes to withdraw from a known vault, to the wallet itself.',
  input: z.strictObject({
    vault: z.string().min(1).max(120).describe('Name or address of the vault.'),
    amount: z.string().max(160).describe('Decimal amount of its token as text; "50%" or "all" of what is there.'),
  }),
  async propose({ vault: name, amount: text }, { chainId, wallet, reader }) {
    const vault = vaultNamed(chainId, name)
    if (!vault.ok) return vault
    const { where, token } = vault.value
    const deposit = (await reader.deposits()).find(({ address }) => address === where.address)
    if (!deposit || deposit.shares === null) return refuse(`vault: nothing lies in ${where.name}.`)
    const amount = await resolveAmount(text, { token, available: async () => deposit.supplied })
    if (!amount.ok) return amount
    const all = text.trim().toLowerCase() === 'all'
    const place = { chainId, venue: where.venue, to: where.address, wallet }
    const tx = vaultWithdrawal(place, all ? { shares: deposit.shares } : { assets: amount.value })
    const what = `${amountText(amount.value, token)}${all ? ' (all shares)' : ''}`
    return ok({ steps: [{ summary: `Withdraw ${what} from ${where.name}`, tx }] })
  },
})
