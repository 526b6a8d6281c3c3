import { isGrant } from '../../candidate.ts'
import { defineNode } from '../../node.ts'

/** Several steps prepare one thing: rights first, then what was asked for, last and once. */
export const sequenceCheck = defineNode({
  id: 'intent_alignment.sequence_check',
  after: ['technical_invariants.format_validation_lowlevel', 'technical_invariants.protocol_compatibility'],
  run({ candidate, effect }) {
    const { steps, primary } = candidate
    if (effect === undefined) return { skip: 'The candidate was not understood.' }
    if (steps.length === 1) return { skip: 'It is one step.' }
    if (effect.others.length > 0)
      return {
        fail: `It does ${effect.others.length + 1} things, and one was asked for.`,
        details: { steps: steps.length },
      }
    const at = steps.indexOf(primary)
    if (at !== steps.length - 1) return { fail: 'A right is given after what it is for.', details: { primary: at } }
    const rights = steps.filter(({ inspection }) => inspection.ok && inspection.value.legs.every(isGrant))
    const texts = rights.map(({ tx }) => JSON.stringify(tx))
    if (new Set(texts).size !== texts.length) return { fail: 'A step is there twice.' }
    return { pass: `${steps.length} steps, in an order that works.` }
  },
})
