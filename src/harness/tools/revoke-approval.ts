import { z } from 'zod'
import { checksumAddress } from '../../lib/address.ts'
import { ok, refuse } from '../../lib/result.ts'
import { Address } from '../../schema/primitives.ts'
import { tokenApproval } from '../token-calldata.ts'
import { defineActionTool } from '../tool.ts'

/** Takes a right to spend away. */
export const revokeApproval = defineActionTool({
  name: 'revoke_approval',
  description: 'Proposes to take away the right of a spender to move a token of the wallet.',
  input: z.strictObject({
    token: z.string().min(1).max(64).describe('Symbol or address of the token.'),
    spender: Address.describe('Address of the spender, as list_approvals gives it.'),
  }),
  async propose({ token: name, spender }, { chainId, reader }) {
    const token = await reader.token(name)
    if (!token.ok) return token
    const { address, symbol } = token.value
    if (address === 'native') return refuse(`token: ${symbol} is the chain's own coin: it has no approvals.`)
    const summary = `Revoke the approval of ${symbol} for ${checksumAddress(spender)}`
    return ok({ steps: [{ summary, tx: tokenApproval(chainId, address, spender, 0n) }] })
  },
})
