import { z } from 'zod'
import { ok, refuse } from '../../lib/result.ts'
import { amountText, resolveAmount } from '../amount.ts'
import { poolWithdrawal } from '../lending-calldata.ts'
import { defineActionTool } from '../tool.ts'

/** Takes a token out of a lending pool. */
export const lendWithdraw = defineActionTool({
  name: 'lend_withdraw',
  description: 'Proposes to withdraw a token that was supplied to Aave, to the wallet itself.',
  input: z.strictObject({
    token: z.string().min(1).max(64).describe('Symbol or address.'),
    amount: z.string().max(160).describe('Decimal amount as text, like "100"; "50%" or "all" of what is supplied.'),
  }),
  async propose({ token: name, amount: text }, { chainId, wallet, reader }) {
    const token = await reader.token(name)
    if (!token.ok) return token
    const deposit = (await reader.deposits()).find(
      ({ shares, token: supplied }) => shares === null && supplied.address === token.value.address,
    )
    if (!deposit || deposit.supplied === 0n) return refuse(`token: nothing of ${token.value.symbol} is supplied.`)
    const amount = await resolveAmount(text, { token: deposit.token, available: async () => deposit.supplied })
    if (!amount.ok) return amount
    const all = text.trim().toLowerCase() === 'all'
    const { venue, address: to, market } = deposit
    const tx = poolWithdrawal({ chainId, venue, to, wallet }, deposit.token.address, all ? 'all' : amount.value)
    const what = `${amountText(amount.value, deposit.token)}${all ? ' (all, with the interest until then)' : ''}`
    return ok({ steps: [{ summary: `Withdraw ${what} from ${market}`, tx }] })
  },
})
