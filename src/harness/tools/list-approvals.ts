import { z } from 'zod'
import { ok } from '../../lib/result.ts'
import { formatDecimal } from '../../lib/usd.ts'
import { defineReadTool } from '../tool.ts'

/** More than any token has: such an approval has no limit. */
const UNLIMITED = 1n << 128n

/** Who may take what from the wallet. */
export const listApprovals = defineReadTool({
  name: 'list_approvals',
  description: 'Lists which known contracts may take which listed tokens from the wallet, and how much.',
  input: z.strictObject({}),
  async read(_args, { reader }) {
    const approvals = (await reader.approvals()).map(({ token, spender, name, amount }) => ({
      token: token.symbol,
      spender,
      name,
      amount: amount > UNLIMITED ? 'unlimited' : formatDecimal(amount, token.decimals),
    }))
    const lines = approvals.map(
      ({ token, name, spender, amount }) => `${name} (${spender}) may take ${amount} ${token}`,
    )
    return ok({ message: lines.length === 0 ? 'No known contract may take anything.' : lines.join('\n'), approvals })
  },
})
