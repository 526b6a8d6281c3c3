import { chainOf } from '../../registry/index.ts'
import { defineCheck } from '../check.ts'

/** The chain must be on the policy's list. */
export const chain = defineCheck({
  id: 'chain',
  field: 'chains.allow',
  run({ action: { chainId }, policy }) {
    if (!policy.chains) return { notChecked: 'The policy lists no chains.' }
    const name = `${chainOf(chainId)?.name ?? 'chain'} (${chainId})`
    if (policy.chains.allow.includes(chainId)) return { passed: `${name} is allowed.` }
    return {
      failed: 'chain_not_allowed',
      reason: `${name} is not allowed; the policy allows ${policy.chains.allow.join(', ') || 'none'}.`,
    }
  },
})
