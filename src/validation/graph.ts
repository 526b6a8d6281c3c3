import { CountersignError } from '../lib/errors.ts'
import type { NodeResult } from '../schema/validation.ts'
import type { Finding, NodeId, NodeInput, ValidationNode } from './node.ts'

/**
 * What a node found, in the form of the answer; `blocks` where nothing may pass with it, `late` where others still have
 * their say.
 */
export type NodeOutcome = Readonly<{ id: NodeId; result: NodeResult; blocks: boolean; late: boolean; asked: boolean }>

/**
 * Runs the nodes: each after those that it names, side by side where they do not wait for each other. What follows a
 * failure is idle and skipped; where anything blocks already, no model is asked.
 *
 * @throws CountersignError unavailable where a source that a node needs was down
 */
export async function runNodes(nodes: readonly ValidationNode[], input: NodeInput): Promise<readonly NodeOutcome[]> {
  const outcomes = new Map<NodeId, Promise<NodeOutcome>>()
  const outcomeOf = (node: ValidationNode): Promise<NodeOutcome> => {
    const running = outcomes.get(node.id)
    if (running) return running
    const started = start(node)
    outcomes.set(node.id, started)
    return started
  }
  const start = async (node: ValidationNode): Promise<NodeOutcome> => {
    const before = await Promise.all(nodes.filter(({ id }) => node.after.includes(id)).map(outcomeOf))
    const stopped = before.find(({ blocks, late }) => blocks && !late)
    return stopped ? skipped(node, `Not looked at: ${stopped.id} failed before.`) : run(node, input)
  }
  const deterministic = await Promise.all(nodes.filter(({ semantic }) => !semantic).map(outcomeOf))
  const decided = deterministic.some(({ blocks }) => blocks)
  const semantic = nodes.filter((node) => node.semantic)
  const opinions = decided
    ? semantic.map((node) => skipped(node, 'Not asked: it is rejected without a model.'))
    : await Promise.all(semantic.map((node) => run(node, input)))
  return [...deterministic, ...opinions]
}

async function run(node: ValidationNode, input: NodeInput): Promise<NodeOutcome> {
  const finding = await node.run(input)
  if ('down' in finding) throw new CountersignError('unavailable', finding.down)
  const asked = node.semantic && input.surroundings.model !== undefined
  const late = 'fail' in finding && finding.late === true
  return { id: node.id, result: resultOf(finding), blocks: 'fail' in finding || 'unable' in finding, late, asked }
}

function skipped({ id }: ValidationNode, reasoning: string): NodeOutcome {
  return {
    id,
    result: { status: 'SKIP', confidence: 0, reasoning, details: {} },
    blocks: false,
    late: false,
    asked: false,
  }
}

function resultOf(finding: Exclude<Finding, { down: string }>): NodeResult {
  const { details = {}, confidence = 1 } = finding
  if ('pass' in finding) return { status: 'PASS', confidence, reasoning: finding.pass, details }
  if ('fail' in finding) return { status: 'FAIL', confidence, reasoning: finding.fail, details }
  return { status: 'SKIP', confidence: 0, reasoning: 'skip' in finding ? finding.skip : finding.unable, details }
}

/** The order in which a failure explains others: what is wrong in itself before what differs from the words. */
const CAUSES: readonly NodeId[] = [
  'technical_invariants.format_validation_lowlevel',
  'technical_invariants.protocol_compatibility',
  'legal_compliance.sanctions_screening',
  'intent_alignment.operation_matching',
  'legal_compliance.token_legitimacy',
  'intent_alignment.token_matching',
  'intent_alignment.approval_covers_primary',
  'intent_alignment.sequence_check',
  'intent_alignment.amount_matching',
  'intent_alignment.deadline_consistency',
  'intent_alignment.fee_alignment',
  'intent_alignment.slippage_tolerance',
  'adversarial_detection.mev_risky_parameters',
]

/** The outcome that explains a rejection best; undefined where nothing blocks. */
export function primaryFailure(outcomes: readonly NodeOutcome[]): NodeOutcome | undefined {
  const rank = ({ id, late }: NodeOutcome) => (CAUSES.includes(id) && !late ? CAUSES.indexOf(id) : CAUSES.length)
  const blocking = outcomes.filter(({ blocks }) => blocks)
  return blocking.toSorted((a, b) => rank(a) - rank(b))[0]
}
