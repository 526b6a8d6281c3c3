import assert from 'node:assert/strict'
import type { Proposal, ProposedStep } from '../../src/harness/tool.ts'
import { type EvmTx, isEvmTx } from '../../src/schema/action.ts'

/** A step that is a transaction. */
export type EvmStep = Omit<ProposedStep, 'tx'> & Readonly<{ tx: EvmTx }>

/** A proposal's steps, all of which must be transactions. */
export function evmSteps({ steps: [...earlier] }: Proposal): readonly [...EvmStep[], EvmStep] {
  const steps = earlier.map(({ summary, tx }) => {
    assert.ok(isEvmTx(tx), 'a step is no transaction')
    return { summary, tx }
  })
  const last = steps.pop()
  assert.ok(last)
  return [...steps, last]
}
