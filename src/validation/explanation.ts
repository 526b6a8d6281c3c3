import type { Explanation } from '../schema/validation.ts'
import type { NodeOutcome } from './graph.ts'

const REMEDIES: Readonly<Record<string, string>> = {
  intent_alignment: 'Align action, token, amount, deadline and slippage with the intent.',
  technical_invariants: 'Fix encoding, format, parameters or gas.',
  legal_compliance: 'Use supported assets and addresses, and compliant amounts.',
  adversarial_detection: 'Tighten parameters and remove suspicious patterns.',
}

/** The explanation of a decision (specification 2.15), with the remedies of specification 7.3. */
export function explain(outcomes: readonly NodeOutcome[], reason: string): Explanation {
  const blocking = outcomes.filter(({ blocks }) => blocks)
  const families = new Set(blocking.map(({ id }) => familyOf(id)))
  const count = (status: string) => outcomes.filter(({ result }) => result.status === status).length
  return {
    summary: reason,
    decision: blocking.length === 0 ? 'PASS' : 'REJECT',
    key_issues: blocking.map(({ result }) => result.reasoning),
    affected_nodes: Object.fromEntries(blocking.map(({ id, result }) => [id, result.status])),
    confidence_summary: confidences(outcomes),
    recommendations: [...families].flatMap((family) => REMEDIES[family] ?? []),
    metadata: { nodes: outcomes.length, passed: count('PASS'), failed: count('FAIL'), skipped: count('SKIP') },
  }
}

/** The lowest confidence of each family, over the nodes that found something. */
function confidences(outcomes: readonly NodeOutcome[]): Readonly<Record<string, number>> {
  const found = outcomes.filter(({ result }) => result.status !== 'SKIP')
  const families = Map.groupBy(found, ({ id }) => familyOf(id))
  return Object.fromEntries(
    [...families].map(([family, nodes]) => [family, Math.min(...nodes.map(({ result }) => result.confidence))]),
  )
}

function familyOf(id: string): string {
  return id.split('.')[0] ?? id
}
