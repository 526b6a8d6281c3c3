import { z } from 'zod'
import { ok } from '../../lib/result.ts'
import { formatDecimal } from '../../lib/usd.ts'
import { defineReadTool } from '../tool.ts'

const GWEI_DECIMALS = 9
/** Gas of common actions, roughly: for display. */
const USUAL_GAS = { transfer: 65_000n, swap: 180_000n } as const

/** What transactions cost now. */
export const gas = defineReadTool({
  name: 'gas',
  description: "Reads the chain's current fees, and what a transfer and a swap cost roughly.",
  input: z.strictObject({}),
  async read(_args, { reader }) {
    const [{ base, tip }, native] = await Promise.all([reader.fees(), reader.token('native')])
    if (!native.ok) return native
    const each = base + tip
    const cost = (amount: bigint) => `${formatDecimal(amount * each, native.value.decimals)} ${native.value.symbol}`
    const gwei = (wei: bigint) => formatDecimal(wei, GWEI_DECIMALS)
    return ok({
      message: `Gas costs ${gwei(each)} gwei now: a token transfer about ${cost(USUAL_GAS.transfer)}, a swap about ${cost(USUAL_GAS.swap)}.`,
      baseFeeGwei: gwei(base),
      tipGwei: gwei(tip),
    })
  },
})
