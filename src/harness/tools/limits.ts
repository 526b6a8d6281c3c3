import { z } from 'zod'
import { ok } from '../../lib/result.ts'
import { formatUsd } from '../../lib/usd.ts'
import { defineReadTool } from '../tool.ts'

/** What the policy allows, and how much of it is used. */
export const limits = defineReadTool({
  name: 'limits',
  description: "Reads the wallet's policy and how much has left the wallet in the last 24 hours. Changes nothing.",
  input: z.strictObject({}),
  async read(_args, { reader }) {
    const { policy, version, outflow } = await reader.limits()
    if (!policy || version === undefined)
      return ok({ message: 'The wallet has no policy, so every action is rejected.', policy: null })
    const { perTxUsd, outflow24hUsd } = policy.caps ?? {}
    const caps = [
      perTxUsd === undefined ? 'no limit for one transaction' : `at most $${perTxUsd} for one transaction`,
      outflow24hUsd === undefined ? 'no limit for a day' : `at most $${outflow24hUsd} in 24 hours`,
    ]
    const left = outflow === undefined ? null : formatUsd(outflow)
    const used =
      left === null
        ? 'what left in the last 24 hours is known to the policy service alone'
        : `${left} left in the last 24 hours`
    const message = `Policy version ${version}: ${caps.join(', ')}; ${used}.`
    return ok({ message, policyVersion: version, policy, outflow24h: left })
  },
})
