import { sql } from 'kysely'
import type { Hex } from '../../lib/hash.ts'
import type { Database } from '../database.ts'
import { COLUMNS, type StoredTransaction, toTransaction } from '../transaction-row.ts'

/** Submissions without a verdict, and which process is at each: it has a lease of it, which ends by itself. */
export function undecided({ query, dialect, ahead }: Database) {
  return {
    /**
     * Takes up submissions that have no verdict and that nobody is at, oldest first: what a crash left behind. Of several
     * processes at once each gets others.
     */
    async takeUp(limit: number, leaseMs: number): Promise<readonly StoredTransaction[]> {
      const free = query
        .selectFrom('transactions')
        .select('seq')
        .where('lease_until', '<=', dialect.asOf)
        .where('status', '=', 'PENDING')
        .orderBy('lease_until')
        .limit(limit)
        .$if(dialect.locksRows, (select) => select.forUpdate().skipLocked())
      const rows = await query
        .updateTable('transactions')
        .set({ lease_until: sql<number>`${dialect.now} + ${sql.lit(leaseMs)}` })
        .where('seq', 'in', free)
        .where('lease_until', '<=', dialect.asOf)
        .returning([...COLUMNS, 'seq'])
        .execute()
      return rows.toSorted((x, y) => x.seq - y.seq).map(({ seq: _, ...row }) => toTransaction(row))
    },

    /** Gives up the leases of processes that are gone: only where this process is the only one. */
    async endLeases(): Promise<void> {
      await query
        .updateTable('transactions')
        .set({ lease_until: dialect.now })
        .where('lease_until', 'is not', null)
        .execute()
    },

    /** Gives up the lease of one: whoever looks next takes it up. */
    async release(requestHash: Hex): Promise<void> {
      await query
        .updateTable('transactions')
        .set({ lease_until: dialect.now })
        .where('request_hash', '=', requestHash)
        .where('lease_until', 'is not', null)
        .execute()
    },

    /** How many have no verdict yet. */
    async count(): Promise<number> {
      const row = await query
        .selectFrom('transactions')
        .select((e) => e.fn.countAll<number>().as('count'))
        .where('lease_until', 'is not', null)
        .executeTakeFirst()
      return Number(row?.count ?? 0)
    },

    /** What was decided: each from PENDING to where its verdict leads. One that a person has to decide stays PENDING. */
    async decide(requestHashes: readonly Hex[], to: 'PENDING' | 'APPROVED' | 'REJECTED'): Promise<void> {
      if (requestHashes.length === 0) return
      await ahead(
        query
          .updateTable('transactions')
          .set({ status: to, lease_until: null, ...(to !== 'PENDING' && { updated_at: dialect.now }) })
          .where('request_hash', 'in', requestHashes)
          .where('status', '=', 'PENDING'),
      )
    },
  } as const
}
