import { CountersignError } from '../../lib/errors.ts'
import type { ReviewRequest } from '../../schema/review.ts'
import { decide } from '../decide.ts'
import type { Decision } from '../operation.ts'
import { ownTransaction, type Principal, REVIEW_SCOPES } from '../principal.ts'
import type { PolicyWork } from '../work.ts'

/**
 * A person's word on an action that the policy holds for one (contract section 4). An approval has it decided again, by
 * the policy and the facts of this moment: it lifts the review and nothing else. What is decided stays so; the same word
 * again answers the same.
 */
export async function review(
  work: PolicyWork,
  principal: Principal,
  requestHash: string,
  { decision, analysis }: ReviewRequest,
): Promise<Decision> {
  const { storage } = work
  const transaction = await ownTransaction(storage.stores, principal, requestHash, REVIEW_SCOPES)
  const stored = await storage.stores.verdicts.byRequestHash(transaction.requestHash)
  if (!stored) throw new CountersignError('conflict', 'It is not decided yet, so there is nothing to review.')
  const decided = await decide(work, transaction, { decision, analysis, by: principal.id })
  const { review: given } = decided.verdict.evidence.observations
  if (given === undefined) throw new CountersignError('conflict', 'It was decided without a person, and stays decided.')
  const first = given as ReviewRequest
  if (first.decision !== decision)
    throw new CountersignError('conflict', `It was reviewed before, as ${first.decision}.`)
  return decided
}
