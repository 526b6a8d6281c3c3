import { closeSync, existsSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { type Dialect as KyselyDialect, type SqliteDatabase, SqliteDialect, sql } from 'kysely'
import { CountersignError, messageOf } from '../../lib/errors.ts'
import type { Dialect } from '../dialect.ts'

const MEMORY = ':memory:'
const OWNER_ONLY = 0o600

// Primary result codes of https://www.sqlite.org/rescode.html
const BUSY = 5
const CONSTRAINT = 19
const NOT_A_DATABASE = 26

/**
 * The embedded database: one connection of one process, so that transactions are serial and need no further lock.
 *
 * @param path file of the database, made for its owner's eyes alone where it does not exist; undefined is in memory
 * @param clock ms since 1970, in place of the database's own
 * @throws CountersignError unavailable when the file is another process's, cannot be opened or is no database
 */
export function sqlite(path: string | undefined, clock?: () => number): Dialect {
  const database = path === undefined ? new DatabaseSync(MEMORY) : openFile(path)
  if (clock !== undefined) database.function('moment', () => Math.round(clock()))
  // As an integer: what a function of ours gives is a real number, whose division is one of fractions.
  const now = clock
    ? sql<number>`cast(moment() as integer)`
    : sql<number>`cast(round(unixepoch('subsec') * 1000) as integer)`
  return {
    name: 'sqlite',
    durable: path !== undefined,
    kysely: transactional(database),
    now,
    asOf: now,
    serial: sql`integer primary key`,
    locksRows: false,
    async lock() {},
    isContradiction: (thrown) => resultCode(thrown) === CONSTRAINT,
  }
}

// SQLite undoes a table like a row. Kysely has to be told, else a crash leaves half of a migration behind.
function transactional(database: DatabaseSync): KyselyDialect {
  const dialect = new SqliteDialect({ database: adapt(database) })
  return {
    createDriver: () => dialect.createDriver(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => Object.defineProperty(dialect.createAdapter(), 'supportsTransactionalDdl', { value: true }),
    createIntrospector: (query) => dialect.createIntrospector(query),
  }
}

function openFile(path: string): DatabaseSync {
  let database: DatabaseSync | undefined
  try {
    // Never opened when it exists: closing it again would give up the lock of a connection in this process.
    if (!existsSync(path)) closeSync(openSync(path, 'ax', OWNER_ONLY))
    database = new DatabaseSync(path)
    // Exclusive first: the file then stays locked from the first access until it is closed or the process is gone.
    database.exec('pragma locking_mode = exclusive')
    database.exec('pragma journal_mode = wal')
    database.exec('pragma synchronous = full')
    database.exec('begin exclusive; commit')
    return database
  } catch (thrown) {
    database?.close()
    throw new CountersignError('unavailable', whyNotOpened(thrown), { cause: new Error(messageOf(thrown)) })
  }
}

function whyNotOpened(thrown: unknown): string {
  const code = resultCode(thrown)
  if (code === BUSY)
    return 'The database file is in use: a file serves one process at a time. Stop the other one, or use PostgreSQL.'
  if (code === NOT_A_DATABASE) return 'The file that DATABASE_URL names is not a SQLite database.'
  return 'The file that DATABASE_URL names cannot be opened: its folder must exist, and be writable.'
}

/** Statements that are kept ready; the one that was made first makes room. */
const MOST_STATEMENTS = 300

function adapt(database: DatabaseSync): SqliteDatabase {
  const ready = new Map<string, StatementSync>()
  // The same texts come again and again: reading one costs more than running it.
  const prepared = (text: string): StatementSync => {
    const known = ready.get(text)
    if (known) return known
    const statement = database.prepare(text)
    const [oldest] = ready.keys()
    if (ready.size >= MOST_STATEMENTS && oldest !== undefined) ready.delete(oldest)
    ready.set(text, statement)
    return statement
  }
  return {
    close: () => database.close(),
    prepare(text) {
      const statement = prepared(text)
      return {
        reader: statement.columns().length > 0,
        // A copy: the driver's own rows have no prototype.
        all: (parameters) => statement.all(...inputs(parameters)).map((row) => ({ ...row })),
        run: (parameters) => statement.run(...inputs(parameters)),
        // One that is read step by step is nobody else's.
        iterate: (parameters) => database.prepare(text).iterate(...inputs(parameters)),
      }
    },
  }
}

// The driver itself refuses a value that it cannot bind.
function inputs(parameters: readonly unknown[]): readonly SQLInputValue[] {
  return parameters as readonly SQLInputValue[]
}

function resultCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown) || typeof thrown.errcode !== 'number') return undefined
  return thrown.errcode & 0xff
}
