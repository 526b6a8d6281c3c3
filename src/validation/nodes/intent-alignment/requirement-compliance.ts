import { defineSemanticNode } from '../../semantic.ts'

/** No requirement of the person is left unmet, as a model reads it. */
export const requirementCompliance = defineSemanticNode({
  id: 'intent_alignment.requirement_compliance',
  question:
    'Does the person set any further requirement or condition, in whatever words, that the transaction does not meet?  FAIL if so.',
})
