import { z } from 'zod'
import { type Address as AddressText, checksumAddress, isAddress, toAddress } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { contractOf } from '../../registry/index.ts'
import { amountText, parseAmount } from '../amount.ts'
import { tokenApproval } from '../token-calldata.ts'
import { defineActionTool } from '../tool.ts'

/** Lets a spender take an exact amount of a token. There is no way to say "unlimited". */
export const approveToken = defineActionTool({
  name: 'approve_token',
  description:
    'Proposes to let a spender take exactly this amount of a token from the wallet. An amount of 0 revokes it.',
  input: z.strictObject({
    token: z.string().min(1).max(64).describe('Symbol or address of the token.'),
    spender: z
      .string()
      .min(1)
      .max(64)
      .describe('Address, or the name of a known contract: permit2, uniswap-universal-router, uniswap-swap-router-02.'),
    amount: z.string().max(160).describe('Decimal amount as text, like "100" or "0.25"; "0" revokes.'),
  }),
  async propose({ token: name, spender: who, amount: text }, { chainId, reader }) {
    const token = await reader.token(name)
    if (!token.ok) return token
    const { address } = token.value
    if (address === 'native') return refuse(`${token.value.symbol} is the chain's own coin: it needs no approval.`)
    const spender = spenderOf(who, chainId)
    if (!spender.ok) return spender
    const amount = parseAmount(text, token.value)
    if (!amount.ok) return amount
    const summary =
      amount.value === 0n
        ? `Revoke the approval of ${token.value.symbol} for ${checksumAddress(spender.value)}`
        : `Approve ${amountText(amount.value, token.value)} for ${checksumAddress(spender.value)}`
    return ok({ steps: [{ summary, tx: tokenApproval(chainId, address, spender.value, amount.value) }] })
  },
})

function spenderOf(who: string, chainId: number): Result<AddressText> {
  if (isAddress(who)) return ok(toAddress(who))
  const contract = contractOf(chainId, who)
  if (contract) return ok(contract)
  return refuse(`spender: "${who}" is neither an address nor the name of a known contract on chain ${chainId}.`)
}
