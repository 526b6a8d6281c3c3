import type { ValidationRequest, ValidationResponse } from '../schema/validation.ts'
import { assistReading } from './assisted-reading.ts'
import { readCandidate } from './candidate.ts'
import { effectOf } from './effect.ts'
import { explain } from './explanation.ts'
import { primaryFailure, runNodes } from './graph.ts'
import type { Surroundings } from './inspection.ts'
import { readIntent } from './intent/read-intent.ts'
import { elementsOf } from './intent.ts'
import { modelHealth } from './model-health.ts'
import { nodes } from './nodes/index.ts'
import { type NotTried, type Tried, tryCandidate } from './trial.ts'

/** Says whether a transaction does what a person asked for. */
export type Validator = Readonly<{
  /** @throws CountersignError unavailable where a source that the answer needs was down */
  validate(request: ValidationRequest): Promise<ValidationResponse>
  /** Whether a model is configured, and whether it answers, as of the last 30 s. */
  health(): Promise<Readonly<{ configured: boolean; reachable: boolean }>>
}>

/**
 * The standalone validator (specification 2.14, 2.15; contract section 9). It decides by arithmetic on the decoded
 * bytes; a model, where there is one, can only reject more.
 */
export function createValidator(surroundings: Surroundings): Validator {
  const isReachable = surroundings.model && modelHealth(surroundings.model)
  return {
    async validate(request) {
      const { proposed_tx, metadata, human_intent } = request
      const plain = readIntent(human_intent)
      const defaults = { chainId: plain.chainId, metadata }
      const candidate = await readCandidate(proposed_tx, defaults, surroundings.inspect)
      const effect = effectOf(candidate)
      // Of what is not understood no reading can make anything: no model is asked then.
      const model = effect === undefined ? undefined : surroundings.model
      const { intent, assistance } = await assistReading(human_intent, plain, model)
      let tried: Promise<Tried | NotTried> | undefined
      const trial = () => (tried ??= tryCandidate({ candidate, effect, intent }, surroundings))
      const outcomes = await runNodes(nodes, { request, intent, candidate, effect, surroundings, trial })
      const failure = primaryFailure(outcomes)
      const reason = failure?.result.reasoning ?? 'The transaction does what was asked for.'
      return {
        decision: failure === undefined ? 'PASS' : 'REJECT',
        reason,
        protocol: effect?.inspection.protocol ?? proposed_tx.protocol ?? null,
        primary_failure_node: failure?.id ?? null,
        llm_calls: outcomes.filter(({ asked }) => asked).length + (assistance === null ? 0 : 1),
        results: Object.fromEntries(outcomes.map(({ id, result }) => [id, result])),
        extracted_elements: elementsOf(intent),
        context: {
          chainId: candidate.chainId,
          wallet: candidate.walletKnown ? candidate.wallet : null,
          steps: candidate.steps.length,
          operation: effect?.operation ?? null,
          ambiguities: [...intent.ambiguities],
          readByModel: assistance && { filled: [...assistance.filled], dropped: { ...assistance.dropped } },
        },
        explanation: explain(outcomes, reason),
      }
    },
    async health() {
      return { configured: isReachable !== undefined, reachable: (await isReachable?.()) ?? false }
    },
  }
}
