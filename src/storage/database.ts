import { AsyncLocalStorage } from 'node:async_hooks'
import { type Compilable, Kysely, type KyselyPlugin } from 'kysely'
import { CountersignError } from '../lib/errors.ts'
import type { Dialect } from './dialect.ts'
import { withDriverFaults } from './driver-faults.ts'
import { sendAhead } from './sent-ahead.ts'
import type { Tables } from './tables.ts'

/** What the stores work on: the connection, or one transaction on it. */
export type Database = Readonly<{
  query: Kysely<Tables>
  dialect: Dialect
  /** All of the work or none of it: in the transaction at hand, or in one of its own. */
  atomically<T>(work: (database: Database) => Promise<T>): Promise<T>
  /** A statement whose result nobody needs: inside a transaction the next one, or its end, fails where this one did. */
  ahead(statement: Compilable): Promise<void>
  /** The database's clock, in ms. Inside a transaction it is asked on the transaction's connection. */
  now(): Promise<number>
}>

type Open = { query: Kysely<Tables>; ended: boolean }

/**
 * A database whose transactions cannot wait for themselves. SQLite has one connection, and a PostgreSQL pool runs dry:
 * a query that is made inside a transaction but outside of its connection would wait for the transaction that waits for
 * it. Such a query is refused at once, on both databases alike.
 */
export function createDatabase(dialect: Dialect): Database {
  const inside = new AsyncLocalStorage<Open>()
  const current = () => {
    const open = inside.getStore()
    return open === undefined || open.ended ? undefined : open
  }
  const refuse = () => {
    if (current() !== undefined) {
      throw new CountersignError('internal', 'Inside a transaction only the stores that it was given may be used.')
    }
  }
  const guard: KyselyPlugin = {
    transformQuery({ node }) {
      refuse()
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const root = new Kysely<Tables>({ dialect: withDriverFaults(dialect) })
  const guarded = root.withPlugin(guard)
  return {
    query: guarded,
    dialect,
    ahead: (statement) => sendAhead(guarded, statement),
    async atomically(work) {
      refuse()
      // Said, and not left to the server's default: a snapshot older than the lock would read a stale ledger.
      const transaction = root.transaction().setIsolationLevel('read committed')
      return transaction.execute(async (query) => {
        const open: Open = { query, ended: false }
        try {
          return await inside.run(open, () => work(within(query, dialect)))
        } finally {
          open.ended = true
        }
      })
    },
    now: () => readClock(current()?.query ?? root, dialect),
  }
}

function within(query: Kysely<Tables>, dialect: Dialect): Database {
  const database: Database = {
    query,
    dialect,
    atomically: (work) => work(database),
    ahead: (statement) => sendAhead(query, statement),
    now: () => readClock(query, dialect),
  }
  return database
}

async function readClock(query: Kysely<Tables>, dialect: Dialect): Promise<number> {
  const { now } = await query.selectNoFrom(dialect.now.as('now')).executeTakeFirstOrThrow()
  return now
}
