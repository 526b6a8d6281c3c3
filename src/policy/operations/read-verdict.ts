import { ownTransaction, type Principal, READ_SCOPES } from '../principal.ts'
import type { PastVerdict, PolicyDeps, VerdictReading } from '../service.ts'

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

/** The newest verdict on an action of the principal's agent. */
export async function latestVerdict({ storage }: PolicyDeps, { agentId }: Principal): Promise<PastVerdict | undefined> {
  if (agentId === null) return undefined
  const stored = await storage.stores.verdicts.latestOf(agentId)
  const transaction = stored && (await storage.stores.transactions.byRequestHash(stored.requestHash))
  if (!transaction) return undefined
  return { requestHash: stored.requestHash, description: transaction.description, verdict: stored.verdict }
}
