import { CountersignError } from '../../lib/errors.ts'
import { decisionOf } from '../decide.ts'
import type { Decision, PastVerdict, PolicyDeps, VerdictReading } from '../operation.ts'
import { ownTransaction, type Principal, READ_SCOPES, SUBMIT_SCOPES } from '../principal.ts'

/** The verdict on one of the principal's submissions, null while there is none (specification 2.4). */
export async function readVerdict(
  { storage }: PolicyDeps,
  principal: Principal,
  requestHash: string,
): Promise<VerdictReading> {
  const transaction = await ownTransaction(storage.stores, principal, requestHash, READ_SCOPES)
  const stored = await storage.stores.verdicts.byRequestHash(transaction.requestHash)
  if (!stored) return { verdict: null, review: null }
  return { verdict: stored.verdict, review: stored.verdict.outcome === 'pending' ? 'awaited' : null }
}

/** A verdict with what was asked for: the newest on an action of the principal's agent, or the one named. */
export async function pastVerdict(
  { storage }: PolicyDeps,
  principal: Principal,
  requestHash: string | undefined,
): Promise<PastVerdict> {
  const { transactions, verdicts } = storage.stores
  const latest =
    requestHash ?? (principal.agentId === null ? undefined : (await verdicts.latestOf(principal.agentId))?.requestHash)
  if (latest === undefined) throw new CountersignError('not_found', 'Nothing was decided yet.')
  const transaction = await ownTransaction({ transactions }, principal, latest, READ_SCOPES)
  const stored = await verdicts.byRequestHash(transaction.requestHash)
  if (!stored) throw new CountersignError('not_found', 'This submission is not decided yet.')
  return { requestHash: stored.requestHash, description: transaction.description, verdict: stored.verdict }
}

/** The decision on one of the principal's submissions, so that a person can have it executed after all. */
export async function readDecision(
  { storage }: PolicyDeps,
  principal: Principal,
  requestHash: string,
): Promise<Decision> {
  const transaction = await ownTransaction(storage.stores, principal, requestHash, SUBMIT_SCOPES)
  const stored = await storage.stores.verdicts.byRequestHash(transaction.requestHash)
  if (!stored) throw new CountersignError('not_found', 'This submission is not decided yet.')
  return decisionOf(transaction, stored)
}
