import { PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Dialect } from '../dialect.ts'
import { postgresNotices } from '../postgres-notices.ts'

const INT8 = 20
/** A write is refused within 2 s where the database is not there (specification 7.1). */
const CONNECT_MS = 1_500
const STATEMENT_MS = 15_000
/** Longer than the server's own limit, so that it decides only where the server is silent. */
const SILENCE_MS = 20_000
const IDLE_IN_TRANSACTION_MS = 30_000
/** Class 23 of https://www.postgresql.org/docs/current/errcodes-appendix.html */
const INTEGRITY_VIOLATION = /^23/

/** A PostgreSQL server, shared by any number of processes. */
export function postgres(url: string, poolSize: number): Dialect {
  return {
    name: 'postgres',
    durable: true,
    kysely: new PostgresDialect({ pool: async () => connect(url, poolSize) }),
    now: sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`,
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
  }
}

function connect(url: string, poolSize: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    application_name: 'countersign',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: SILENCE_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    types: {
      // Milliseconds, versions and nonces fit a number. Money is read as text.
      getTypeParser: (id, format): unknown => (id === INT8 ? Number : pg.types.getTypeParser(id, format)),
    },
  })
  // A connection that breaks while idle is replaced at its next use: that it broke is no fault of anybody's query.
  pool.on('error', () => {})
  // Nor is it of the process: one that breaks between two queries of a transaction fails the second of them.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
