import { z } from 'zod'
import { ok, refuse } from '../../lib/result.ts'
import { amountText, resolveAmount } from '../amount.ts'
import { poolSupply } from '../lending-calldata.ts'
import { depositSteps } from '../lending-steps.ts'
import { poolFor } from '../lending-venue.ts'
import { defineActionTool } from '../tool.ts'

/** Puts a token into a lending pool. */
export const lendSupply = defineActionTool({
  name: 'lend_supply',
  description:
    'Proposes to supply a token to Aave, where it earns interest. An approval that is needed is proposed with it.',
  input: z.strictObject({
    token: z.string().min(1).max(64).describe('Symbol or address.'),
    amount: z.string().max(160).describe('Decimal amount as text, like "100"; "50%" or "all" of what is held.'),
  }),
  async propose({ token: name, amount: text }, { chainId, wallet, reader }) {
    const token = await reader.token(name)
    if (!token.ok) return token
    const held = token.value
    if (held.address === 'native') return refuse(`token: wrap the ${held.symbol} first.`)
    const asset = { ...held, address: held.address, chainId, stable: 'stable' in held && held.stable }
    const pool = poolFor(chainId, asset)
    if (!pool.ok) return pool
    const amount = await resolveAmount(text, { token: held, available: () => reader.balance(held) })
    if (!amount.ok) return amount
    const { address: to, venue, name: market } = pool.value
    const tx = poolSupply({ chainId, venue, to, wallet }, asset.address, amount.value)
    const summary = `Supply ${amountText(amount.value, held)} to ${market}`
    return ok({
      steps: await depositSteps({ summary, tx }, { token: asset, spender: to, amount: amount.value }, reader),
    })
  },
})
