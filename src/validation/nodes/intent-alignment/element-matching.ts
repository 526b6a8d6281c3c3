import { defineSemanticNode } from '../../semantic.ts'

/** Every element that the person names is in the transaction as named, as a model reads it. */
export const elementMatching = defineSemanticNode({
  id: 'intent_alignment.element_matching',
  question:
    'List to yourself each element that the person names (operation, tokens, amount, receiver, venue, chain, limits). Does the transaction have each of them just as it was named?',
})
