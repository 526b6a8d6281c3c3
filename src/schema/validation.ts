import { z } from 'zod'
import { FreeForm } from './action.ts'
import { ChainId, Text } from './primitives.ts'

const Amount = z.union([z.string().max(80), z.number()])

const CandidateFields = {
  protocol: z.string().max(64).optional(),
  /** Which chain, and who sends: as a wallet has them. `context` and `metadata` may say so too. */
  chainId: ChainId.optional(),
  from: z.string().max(64).optional(),
  to: z.string().max(128).optional(),
  data: z.string().max(300_000).optional(),
  value: Amount.optional(),
  gas: Amount.optional(),
  metadata: FreeForm.optional(),
  context: FreeForm.optional(),
  /** The fields of an order that is signed, as the venue takes them. */
  order: FreeForm.optional(),
}

/** One transaction or order of a candidate. What is wrong in its bytes is for the nodes to say. */
export const CandidateStep = z.strictObject(CandidateFields).meta({ id: 'CandidateStep' })
export type CandidateStep = z.output<typeof CandidateStep>

/** `proposed_tx` (specification 2.14): one step, or several in `transactions` in the order in which they would run. */
export const CandidateTx = z
  .strictObject({ ...CandidateFields, transactions: z.array(CandidateStep).min(1).max(16).optional() })
  .meta({ id: 'CandidateTx' })
export type CandidateTx = z.output<typeof CandidateTx>

/** Body of `POST /validate` (specification 2.14). `preferences` are accepted and not enforced. */
export const ValidationRequest = z
  .strictObject({
    human_intent: Text.min(1).max(4_000),
    proposed_tx: CandidateTx.default({}),
    metadata: FreeForm.optional(),
    preferences: z
      .strictObject({
        slippage_bps: z.number().optional(),
        aggressiveness: z.number().optional(),
        protocol_allowlist: z.array(z.string().max(64)).max(64).optional(),
      })
      .optional(),
    return_prompts: z.boolean().default(false),
  })
  .meta({ id: 'ValidationRequest' })
export type ValidationRequest = z.output<typeof ValidationRequest>

/** What one node found. `confidence` from 0 to 1. */
export const NodeResult = z
  .strictObject({
    status: z.enum(['PASS', 'FAIL', 'SKIP']),
    confidence: z.number().min(0).max(1),
    reasoning: z.string(),
    details: z.record(z.string(), z.json()),
  })
  .meta({ id: 'NodeResult' })
export type NodeResult = z.output<typeof NodeResult>

/** What the intent says, null where it is silent (contract section 9). */
export const ExtractedElements = z
  .strictObject({
    operation: z.string().nullable(),
    tokenIn: z.string().nullable(),
    tokenOut: z.string().nullable(),
    amount: z.string().nullable(),
    amountSide: z.enum(['in', 'out']).nullable(),
    recipient: z.string().nullable(),
    slippageBps: z.number().nullable(),
    deadline: z.string().nullable(),
    venue: z.string().nullable(),
    chainId: z.int().nullable(),
  })
  .meta({ id: 'ExtractedElements' })
export type ExtractedElements = z.output<typeof ExtractedElements>

const Explanation = z.strictObject({
  summary: z.string(),
  decision: z.enum(['PASS', 'REJECT']),
  key_issues: z.array(z.string()).readonly(),
  affected_nodes: z.record(z.string(), z.string()),
  confidence_summary: z.record(z.string(), z.number()),
  recommendations: z.array(z.string()).readonly(),
  metadata: z.record(z.string(), z.number()),
})
export type Explanation = z.output<typeof Explanation>

/** Answer of `POST /validate` (specification 2.15). */
export const ValidationResponse = z
  .strictObject({
    decision: z.enum(['PASS', 'REJECT']),
    reason: z.string(),
    protocol: z.string().nullable(),
    primary_failure_node: z.string().nullable(),
    llm_calls: z.int().nonnegative(),
    results: z.record(z.string(), NodeResult),
    extracted_elements: ExtractedElements,
    context: z.record(z.string(), z.json()),
    explanation: Explanation.nullable(),
  })
  .meta({ id: 'ValidationResponse' })
export type ValidationResponse = z.output<typeof ValidationResponse>
