import { defineEffectNode } from '../../node.ts'

/** Nobody who is sanctioned sends, receives, may spend or is called. */
export const sanctionsScreening = defineEffectNode({
  id: 'legal_compliance.sanctions_screening',
  critical: true,
  run({ sanctions }) {
    if ('missing' in sanctions) return { down: `Sanctions could not be screened: ${sanctions.missing}` }
    const { hits, screened } = sanctions.value
    if (hits.length > 0) return { fail: `Sanctioned: ${hits.join(', ')}.`, details: { hits: [...hits] } }
    return { pass: `None of ${screened} addresses is sanctioned.` }
  },
})
