import type { NodeResult, ValidationRequest } from '../schema/validation.ts'
import type { Candidate } from './candidate.ts'
import type { Effect } from './effect.ts'
import type { Surroundings } from './inspection.ts'
import type { Intent } from './intent.ts'
import type { NotTried, Tried } from './trial.ts'

/** What a node sees. `effect` is missing where the candidate was not understood. */
export type NodeInput = Readonly<{
  request: ValidationRequest
  intent: Intent
  candidate: Candidate
  effect: Effect | undefined
  surroundings: Surroundings
  /** Runs the candidate on a node, once however many nodes ask. */
  trial(): Promise<Tried | NotTried>
}>

type Family = 'intent_alignment' | 'technical_invariants' | 'legal_compliance' | 'adversarial_detection'

/** `<family>.<name>`, as the answer has it. */
export type NodeId = `${Family}.${string}`

/** What a node says. A source that was down is no finding about the candidate: the whole answer is 503 then. */
export type Finding = Readonly<{ details?: NodeResult['details']; confidence?: number }> &
  (
    | Readonly<{ pass: string }>
    /** `late` where it explains the rejection only if nothing else does. */
    | Readonly<{ fail: string; late?: true }>
    /** Its question does not arise. */
    | Readonly<{ skip: string }>
    /** Its question arises and could not be answered: nothing passes without the answer. */
    | Readonly<{ unable: string }>
    | Readonly<{ down: string }>
  )

/** One question about a candidate. */
export type ValidationNode = Readonly<{
  id: NodeId
  /** Without its answer nothing passes. */
  critical: boolean
  /** It asks the model; it can reject and cannot approve. */
  semantic: boolean
  /** Nodes whose failure makes its own question idle. */
  after: readonly NodeId[]
  run(input: NodeInput): Finding | Promise<Finding>
}>

type Declared = Readonly<{ id: NodeId; critical?: boolean; after?: readonly NodeId[] }>

/** Declares a node that decides by arithmetic. */
export function defineNode(spec: Declared & Pick<ValidationNode, 'run'>): ValidationNode {
  return { critical: false, after: [], semantic: false, ...spec }
}

/** Declares a node over what the candidate does; where that was not understood it is skipped. */
export function defineEffectNode(
  spec: Declared & Readonly<{ run(effect: Effect, input: NodeInput): Finding | Promise<Finding> }>,
): ValidationNode {
  return defineNode({
    ...spec,
    after: ['technical_invariants.format_validation_lowlevel', ...(spec.after ?? [])],
    run: (input) => (input.effect ? spec.run(input.effect, input) : { skip: 'The candidate was not understood.' }),
  })
}
