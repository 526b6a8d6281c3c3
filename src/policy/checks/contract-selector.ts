import { checksumAddress } from '../../lib/address.ts'
import { defineCheck } from '../check.ts'

/** The contract, and where the policy names functions the function, must be on the policy's list. */
export const contractSelector = defineCheck({
  id: 'contract_selector',
  field: 'contracts.allow',
  run({ action: { chainId, target, selector }, policy }) {
    if (!policy.contracts) return { notChecked: 'The policy lists no contracts.' }
    const entries = policy.contracts.allow.filter((entry) => entry.chainId === chainId && entry.address === target)
    const at = checksumAddress(target)
    if (entries.length === 0)
      return {
        failed: 'contract_or_selector_not_allowed',
        reason: `Contract ${at} on chain ${chainId} is not on the policy's list.`,
      }
    const allowed = entries.some(({ selectors }) => !selectors || (selector !== null && selectors.includes(selector)))
    if (allowed) return { passed: `Contract ${at} and its function are allowed.` }
    return {
      failed: 'contract_or_selector_not_allowed',
      reason: `Function ${selector ?? '(plain transfer)'} of contract ${at} is not on the policy's list.`,
    }
  },
})
