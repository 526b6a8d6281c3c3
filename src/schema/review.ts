import { z } from 'zod'
import { Text } from './primitives.ts'

/** Body of `POST /transactions/{requestHash}/review` (contract section 4): what a person says, and why. */
export const ReviewRequest = z
  .strictObject({ decision: z.enum(['APPROVED', 'REJECTED']), analysis: Text.min(1).max(2_000) })
  .meta({ id: 'ReviewRequest' })
export type ReviewRequest = z.output<typeof ReviewRequest>

/** A review as the evidence keeps it. `by` is the principal's id. */
export const Review = ReviewRequest.extend({ by: z.string() })
export type Review = z.output<typeof Review>
