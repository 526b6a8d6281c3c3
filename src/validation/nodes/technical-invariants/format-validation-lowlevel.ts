import { toAddress } from '../../../lib/address.ts'
import { contractAt } from '../../../registry/index.ts'
import { isEvmTx } from '../../../schema/action.ts'
import type { Step } from '../../candidate.ts'
import { defineNode } from '../../node.ts'

const MOST_GAS = 30_000_000

/** Each step is a transaction or an order as its chain or venue takes it, to the last byte. */
export const formatValidationLowlevel = defineNode({
  id: 'technical_invariants.format_validation_lowlevel',
  critical: true,
  run({ candidate }) {
    for (const [i, step] of candidate.steps.entries()) {
      const fault = faultOf(step)
      if (fault !== undefined) return { fail: fault, details: { step: i } }
    }
    return { pass: 'Every step is well formed, and its bytes are canonical.' }
  },
})

function faultOf({ step, tx, malformed, inspection }: Step): string | undefined {
  if (malformed !== undefined) return malformed
  const gas = Number(step.gas ?? 0)
  if (!Number.isInteger(gas) || gas < 0) return 'gas: expected a whole number.'
  if (gas > MOST_GAS) return `gas: ${gas} is more than a block holds.`
  if (inspection.ok || tx === undefined) return undefined
  // Where nobody knows the contract its bytes are not wrong: another node says so.
  const known = !isEvmTx(tx) || contractAt(tx.chainId, toAddress(tx.to)) !== undefined
  return known ? inspection.reason : undefined
}
