import { checksumAddress } from '../../lib/address.ts'
import type { Policy } from '../../schema/policy.ts'
import { defineCheck } from '../check.ts'
import type { CalledFunction } from '../decoded-action.ts'

/** Every contract that is called, and where the policy names functions the function, must be on the policy's list. */
export const contractSelector = defineCheck({
  id: 'contract_selector',
  field: 'contracts.allow',
  run({ action: { chainId, target, selector, calls = [] }, policy }) {
    const { contracts } = policy
    if (!contracts) return { notChecked: 'The policy lists no contracts.' }
    if (target === null) return { notChecked: 'It calls no contract.' }
    const called = [{ target, selector }, ...calls]
    const problem = called.map((call) => problemOf(call, contracts, chainId)).find((found) => found !== undefined)
    if (problem !== undefined) return { failed: 'contract_or_selector_not_allowed', reason: problem }
    // No address in words that are said of every approval: a checksum costs more than all other checks together.
    if (calls.length === 0) return { passed: 'The contract and its function are allowed.' }
    return { passed: `The contract and the ${calls.length} calls within are allowed.` }
  },
})

function problemOf(
  { target, selector }: CalledFunction,
  { allow }: NonNullable<Policy['contracts']>,
  chainId: number,
): string | undefined {
  const entries = allow.filter((entry) => entry.chainId === chainId && entry.address === target)
  if (entries.length === 0)
    return `Contract ${checksumAddress(target)} on chain ${chainId} is not on the policy's list.`
  const allowed = entries.some(({ selectors }) => !selectors || (selector !== null && selectors.includes(selector)))
  if (allowed) return undefined
  return `Function ${selector ?? '(plain transfer)'} of contract ${checksumAddress(target)} is not on the policy's list.`
}
