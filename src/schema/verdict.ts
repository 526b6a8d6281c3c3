import { z } from 'zod'
import { CHECK_IDS, CheckResult, VIOLATION_CODES } from './check.ts'
import { DecodedLeg, DecodedSummary } from './decoded-action.ts'
import { Timestamp } from './primitives.ts'

/** Why a verdict is what it is (specification 2.7). */
export const ReasonCode = z
  .enum(['allowed', 'pending', 'decode_failure', 'data_unavailable', 'asset_identity_unresolved', ...VIOLATION_CODES])
  .meta({ id: 'ReasonCode' })
export type ReasonCode = z.output<typeof ReasonCode>

const CROSS_CUTTING = new Set<ReasonCode>(['decode_failure', 'data_unavailable', 'asset_identity_unresolved'])

/** One source of facts and how fresh its answer was. `ageMs` is null where nothing was had. */
export const SourceFreshness = z.strictObject({
  source: z.string(),
  status: z.enum(['fresh', 'cached', 'unavailable']),
  observedAt: Timestamp.nullable(),
  detail: z.string().nullable(),
})
export type SourceFreshness = z.output<typeof SourceFreshness>

/** What the verdict rests on: enough to decide it again and get the same answer. */
export const Evidence = z.strictObject({
  decodedAction: DecodedSummary,
  decodedActions: z.array(DecodedLeg).readonly().optional(),
  observations: z.record(z.string(), z.json()),
  sources: z.array(SourceFreshness).readonly(),
})
export type Evidence = z.output<typeof Evidence>

/** The verdict (specification 2.5). Its refinements are the rules of specification 2.7: a verdict that breaks one cannot be built. */
export const Verdict = z
  .strictObject({
    schemaVersion: z.literal(1),
    outcome: z.enum(['pending', 'approved', 'rejected']),
    reasonCode: ReasonCode,
    humanReason: z.string(),
    triggeringPolicyField: z.string().nullable(),
    checks: z.array(CheckResult).readonly(),
    evidence: Evidence,
    policyVersion: z.int().nullable(),
    latencyMs: z.int().nonnegative(),
    dataFreshness: z.strictObject({
      overall: z.enum(['fresh', 'cached', 'mixed']),
      sources: z.array(SourceFreshness).readonly(),
    }),
    trust: z.strictObject({ level: z.enum(['high', 'medium', 'low']), notes: z.string().nullable() }),
    redaction: z.strictObject({ redacted: z.boolean(), fields: z.array(z.string()).readonly() }),
    usdNotional: z.number().nonnegative().nullable(),
    timestamp: Timestamp,
  })
  .superRefine((verdict, { addIssue }) => {
    for (const message of verdictFaults(verdict)) addIssue({ code: 'custom', message })
  })
  .meta({ id: 'Verdict' })
export type Verdict = z.output<typeof Verdict>

type Decision = Readonly<{ outcome: 'pending' | 'approved' | 'rejected'; reasonCode: ReasonCode }> &
  Readonly<{ checks: readonly CheckResult[] }>

/** The rules of specification 2.7 that a verdict breaks: none, in one that may leave. */
export function verdictFaults({ outcome, reasonCode, checks }: Decision): readonly string[] {
  const faults: string[] = []
  const failed = checks.filter(({ status }) => status === 'failed')
  if ((outcome === 'approved') !== (reasonCode === 'allowed')) faults.push('approved requires allowed, and only it')
  if ((outcome === 'pending') !== (reasonCode === 'pending')) faults.push('pending requires pending, and only it')
  if (outcome === 'approved' && failed.length > 0) faults.push('an approved verdict has no failed check')
  if (outcome === 'rejected' && !CROSS_CUTTING.has(reasonCode) && failed.every(({ code }) => code !== reasonCode))
    faults.push('a rejected reasonCode must match a failed check')
  if (outcome !== 'pending' && !CHECK_IDS.every((id) => checks.some(({ checkId }) => checkId === id)))
    faults.push('a decided verdict reports every check')
  return faults
}
