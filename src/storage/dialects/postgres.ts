import { PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Dialect } from '../dialect.ts'
import { postgresNotices } from '../postgres-notices.ts'
import { postgresPool } from '../postgres-pool.ts'
import { pipelined } from '../sent-ahead.ts'

/** Class 23 of https://www.postgresql.org/docs/current/errcodes-appendix.html */
const INTEGRITY_VIOLATION = /^23/
const DATA_EXCEPTION = /^22/

/** A PostgreSQL server, shared by any number of processes. */
export function postgres(url: string, poolSize: number): Dialect {
  return {
    name: 'postgres',
    durable: true,
    kysely: pipelined(new PostgresDialect({ pool: async () => postgresPool(url, poolSize) })),
    now: sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`,
    asOf: sql<number>`floor(extract(epoch from statement_timestamp()) * 1000)::bigint`,
    serial: sql`bigint generated always as identity primary key`,
    locksRows: true,
    async lock(query, name) {
      // A row, and not an advisory lock: every database that speaks this language has rows.
      const locked = () =>
        query.selectFrom('locks').select('name').where('name', '=', name).forUpdate().executeTakeFirst()
      if ((await locked()) !== undefined) return
      await query
        .insertInto('locks')
        .values({ name })
        .onConflict((on) => on.doNothing())
        .execute()
      await locked()
    },
    notices: postgresNotices(url),
    isContradiction: (thrown) => thrown instanceof pg.DatabaseError && INTEGRITY_VIOLATION.test(thrown.code ?? ''),
    isUnkeepable: (thrown) => thrown instanceof pg.DatabaseError && DATA_EXCEPTION.test(thrown.code ?? ''),
  }
}
