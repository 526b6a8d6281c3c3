// A policy and a gate that do as a test says, and write down what they were asked. Their verdicts are valid ones.
import type { Execution } from '../../src/harness/gate.ts'
import type { Trading } from '../../src/harness/trading.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import { type Hex, keccak256 } from '../../src/lib/hash.ts'
import type { SubmitRequest } from '../../src/schema/action.ts'
import { CHECK_IDS } from '../../src/schema/check.ts'
import type { DecodedLeg } from '../../src/schema/decoded-action.ts'
import { Verdict } from '../../src/schema/verdict.ts'
import { standInContext, WALLET } from './stand-in-reader.ts'

/** How a submission ends. `never` is one that is not decided; a fault is thrown by the submission itself. */
export type Fate = 'approved' | 'rejected' | 'pending' | 'never' | CountersignError

export function verdictOf(outcome: Verdict['outcome'], legs: readonly DecodedLeg[] = []): Verdict {
  const failed = outcome === 'rejected'
  return Verdict.parse({
    schemaVersion: 1,
    outcome,
    reasonCode: { approved: 'allowed', pending: 'pending', rejected: 'no_slippage_guard' }[outcome],
    humanReason: failed ? 'The swap sets no minimum output.' : 'All checks passed.',
    triggeringPolicyField: failed ? 'slippage.maxBps' : null,
    checks: CHECK_IDS.map((checkId) =>
      failed && checkId === 'slippage_guard'
        ? {
            checkId,
            status: 'failed',
            code: 'no_slippage_guard',
            humanReason: 'No minimum.',
            triggeringPolicyField: 'slippage.maxBps',
          }
        : { checkId, status: 'passed', code: null, humanReason: 'Fine.', triggeringPolicyField: null },
    ),
    evidence: {
      decodedAction: { protocol: 'uniswap', chainId: 1 },
      decodedActions: legs,
      observations: {},
      sources: [],
    },
    policyVersion: 1,
    latencyMs: 1,
    dataFreshness: { overall: 'fresh', sources: [] },
    trust: { level: 'high', notes: null },
    redaction: { redacted: false, fields: [] },
    usdNotional: 100,
    timestamp: '2026-11-20T12:00:00Z',
  })
}

export type StandIn = Readonly<{
  trading: Trading
  submitted: SubmitRequest[]
  /** Numbers of the submissions (from 0) that were executed and cancelled, in that order. */
  executed: number[]
  cancelled: number[]
}>

export const MINED = {
  mode: 'direct',
  ok: true,
  status: 'mined',
  txHash: `0x${'ab'.repeat(32)}`,
} as const satisfies Execution

/** Fates by submission; the last one holds for all that follow. Executions likewise. */
export function standIn(fates: readonly Fate[], executions: readonly (Execution | Error)[] = [MINED]): StandIn {
  const submitted: SubmitRequest[] = []
  const executed: number[] = []
  const cancelled: number[] = []
  const hashes: Hex[] = []
  const policy = {
    async submit(_principal: unknown, request: SubmitRequest) {
      const n = submitted.push(request) - 1
      const fate = fates[Math.min(n, fates.length - 1)]
      if (fate === undefined) throw new Error('no fate')
      if (fate instanceof CountersignError) throw fate
      const requestHash = keccak256(`request ${n}`)
      hashes.push(requestHash)
      const record = {
        id: String(n),
        requestHash,
        description: request.prompt,
        status: 'PENDING',
        createdAt: '2026-11-20T12:00:00Z',
      }
      if (fate === 'never') return { record, decided: new Promise(() => undefined) }
      const approval = fate === 'approved' ? { requestHash, wallet: WALLET, tx: request.proposedTx } : undefined
      return { record, decided: Promise.resolve({ requestHash, verdict: verdictOf(fate), approval }) }
    },
    async cancel(_principal: unknown, requestHash: Hex) {
      cancelled.push(hashes.indexOf(requestHash))
    },
  }
  const gate = {
    async execute(approval: Readonly<{ requestHash: Hex }>) {
      const n = executed.push(hashes.indexOf(approval.requestHash)) - 1
      const execution = executions[Math.min(n, executions.length - 1)]
      if (execution === undefined) throw new Error('no execution')
      if (execution instanceof Error) throw execution
      return execution
    },
  }
  const { reader, chainId } = standInContext()
  const shared = { wallet: WALLET, chainId, reader, slippageBps: async () => 100, principal: {} }
  return { trading: { ...shared, policy, gate } as never, submitted, executed, cancelled }
}
