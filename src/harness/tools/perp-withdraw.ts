import { z } from 'zod'
import { checksumAddress } from '../../lib/address.ts'
import { ok } from '../../lib/result.ts'
import { Address } from '../../schema/primitives.ts'
import { perpsOf, venueAction } from '../perps.ts'
import { defineActionTool } from '../tool.ts'

/** Withdraws margin from the venue. */
export const perpWithdraw = defineActionTool({
  name: 'perp_withdraw',
  description: "Proposes to withdraw US dollars from the wallet's margin at Hyperliquid to an address on Arbitrum.",
  input: z.strictObject({
    amount: z
      .string()
      .regex(/^(0|[1-9]\d{0,11})(\.\d{0,5}[1-9])?$/, 'expected a decimal number of US dollars as text, like "100"'),
    to: Address.optional().describe('Address of the receiver; the wallet itself by default.'),
  }),
  async propose({ amount, to }, context) {
    const perps = perpsOf(context)
    if (!perps.ok) return perps
    const destination = to ?? context.wallet
    const tx = venueAction(
      {
        type: 'withdraw3',
        signatureChainId: '0xa4b1',
        hyperliquidChain: 'Mainnet',
        destination,
        amount,
        time: context.now().getTime(),
      },
      context,
    )
    return ok({ steps: [{ summary: `Withdraw ${amount} USDC to ${checksumAddress(destination)}`, tx }] })
  },
})
