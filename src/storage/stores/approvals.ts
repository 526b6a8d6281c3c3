import type { Address } from '../../lib/address.ts'
import type { Hex } from '../../lib/hash.ts'
import type { ProposedTx } from '../../schema/action.ts'
import type { Verdict } from '../../schema/verdict.ts'
import type { Database } from '../database.ts'
import { inForceNow } from '../in-force.ts'

/** An approval that may still act, or that acted lately: when it was executed (ms), null where it is not. */
export type StandingVerdict = Readonly<{
  requestHash: Hex
  chainId: number
  proposedTx: ProposedTx
  verdict: Verdict
  executedAt: number | null
}>

/** What is approved, with the holds that keep its room. */
export function approvals(database: Database) {
  const { query } = database
  return {
    /**
     * Approvals of a wallet that are in force and not executed, and those that were executed at `since` (ms) or later; one
     * more than `limit` where there are more.
     */
    async standing(
      wallet: Address,
      { since, limit }: Readonly<{ since: number; limit: number }>,
    ): Promise<readonly StandingVerdict[]> {
      const held = standingOnes(query, wallet).where('holds.state', '=', 'held').where(inForceNow(database))
      const approved = await held
        .where('transactions.status', '=', 'APPROVED')
        .limit(limit + 1)
        .execute()
      const placed = await held
        .where('transactions.status', '=', 'EXECUTED')
        .where('transactions.updated_at', '>=', since)
        .limit(limit + 1)
        .execute()
      const posted = await standingOnes(query, wallet)
        .where('holds.state', '=', 'posted')
        .where('holds.posted_at', '>=', since)
        .limit(limit + 1)
        .execute()
      return [...approved.map((row) => ({ ...row, executedAt: null })), ...placed, ...posted].map((row) => ({
        ...row,
        proposedTx: JSON.parse(row.proposedTx) as ProposedTx,
        verdict: JSON.parse(row.verdict) as Verdict,
      }))
    },
  } as const
}

/** Approvals of a wallet with their holds and submissions. */
function standingOnes(query: Database['query'], wallet: Address) {
  return query
    .selectFrom('holds')
    .innerJoin('transactions', 'transactions.request_hash', 'holds.request_hash')
    .innerJoin('verdicts', 'verdicts.request_hash', 'holds.request_hash')
    .select([
      'holds.request_hash as requestHash',
      'transactions.chain_id as chainId',
      'transactions.proposed_tx as proposedTx',
      'verdicts.verdict as verdict',
      'transactions.updated_at as executedAt',
    ])
    .where('holds.wallet', '=', wallet)
    .where('verdicts.decided', '=', 1)
}
