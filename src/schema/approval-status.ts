import { z } from 'zod'
import { Verdict } from './verdict.ts'

/** One opinion in the form that the shell-skill flow reads (specification 2.9). */
export const ReviewerOpinion = z
  .strictObject({
    decision: z.enum(['APPROVED', 'REJECTED', 'UNDECIDED']),
    analysis: z.string(),
    confidence: z.number().min(0).max(1),
  })
  .meta({ id: 'ReviewerOpinion' })
export type ReviewerOpinion = z.output<typeof ReviewerOpinion>

/** Answer of `GET /transactions/{requestHash}/approval-status` (specification 2.4 and 2.9, contract section 4). */
export const ApprovalStatus = z
  .strictObject({ verdict: Verdict.nullable(), reviewer: z.array(ReviewerOpinion).max(1).readonly() })
  .meta({ id: 'ApprovalStatus' })
export type ApprovalStatus = z.output<typeof ApprovalStatus>
