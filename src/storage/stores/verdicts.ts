import type { Hex } from '../../lib/hash.ts'
import type { SignedReceipt } from '../../schema/receipt.ts'
import type { Verdict } from '../../schema/verdict.ts'
import type { Database } from '../database.ts'

/** A verdict to keep. `approvedUntil` is null where nothing was approved. */
export type NewVerdict = Readonly<{
  requestHash: Hex
  verdict: Verdict
  approvedUntil: number | null
  /** Null for what awaits a person. */
  receipt: SignedReceipt | null
}>

/** A verdict as it was decided. */
export type StoredVerdict = NewVerdict & Readonly<{ createdAt: number }>

const COLUMNS = [
  'verdicts.request_hash as requestHash',
  'verdicts.verdict',
  'verdicts.approved_until as approvedUntil',
  'verdicts.receipt',
  'verdicts.created_at as createdAt',
] as const

/** Verdicts. A request has at most one that awaits a person, and at most one that is decided: none is ever changed. */
export function verdicts({ query, dialect }: Database) {
  return {
    /** @throws CountersignError conflict when the request has such a verdict already, or is unknown */
    async insert({ requestHash, verdict, approvedUntil, receipt }: NewVerdict): Promise<StoredVerdict> {
      const row = await query
        .insertInto('verdicts')
        .values({
          request_hash: requestHash,
          decided: verdict.outcome === 'pending' ? 0 : 1,
          verdict: JSON.stringify(verdict),
          approved_until: approvedUntil,
          receipt: receipt && JSON.stringify(receipt),
          created_at: dialect.now,
        })
        .returning(COLUMNS)
        .executeTakeFirstOrThrow()
      return toVerdict(row)
    },

    /** The decided one, else the one that awaits a person. */
    async byRequestHash(requestHash: Hex): Promise<StoredVerdict | undefined> {
      const row = await query
        .selectFrom('verdicts')
        .select(COLUMNS)
        .where('request_hash', '=', requestHash)
        .orderBy('decided', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && toVerdict(row)
    },

    /** The newest verdict on any of an agent's requests. */
    async latestOf(agentId: string): Promise<StoredVerdict | undefined> {
      const row = await query
        .selectFrom('verdicts')
        .innerJoin('transactions', 'transactions.request_hash', 'verdicts.request_hash')
        .select(COLUMNS)
        .where('transactions.agent_id', '=', agentId)
        .orderBy('verdicts.seq', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && toVerdict(row)
    },
  } as const
}

type Row = Omit<StoredVerdict, 'verdict' | 'receipt'> & Readonly<{ verdict: string; receipt: string | null }>

function toVerdict(row: Row): StoredVerdict {
  return {
    ...row,
    verdict: JSON.parse(row.verdict) as Verdict,
    receipt: row.receipt === null ? null : (JSON.parse(row.receipt) as SignedReceipt),
  }
}
