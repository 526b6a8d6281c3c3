import type { ReviewerOpinion } from '../schema/approval-status.ts'
import type { Verdict } from '../schema/verdict.ts'

const DECISIONS = { approved: 'APPROVED', rejected: 'REJECTED', pending: 'UNDECIDED' } as const
const CONFIDENCE = { high: 1, medium: 0.7, low: 0.4 } as const

/** The verdict in the form of specification 2.9: empty while undecided, one `UNDECIDED` while a person's review is awaited. */
export function opinionsOf(verdict: Verdict | null, review: 'awaited' | null): readonly ReviewerOpinion[] {
  if (verdict === null || (verdict.outcome === 'pending' && review === null)) return []
  const { outcome, humanReason, trust } = verdict
  return [{ decision: DECISIONS[outcome], analysis: humanReason, confidence: CONFIDENCE[trust.level] }]
}
