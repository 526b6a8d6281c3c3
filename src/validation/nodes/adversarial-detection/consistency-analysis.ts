import { defineSemanticNode } from '../../semantic.ts'

/** Nothing in the whole contradicts itself, as a model reads it. */
export const consistencyAnalysis = defineSemanticNode({
  id: 'adversarial_detection.consistency_analysis',
  question:
    'Taken as a whole, is there any contradiction between what the person wants and what the transaction brings about? FAIL if so.',
})
