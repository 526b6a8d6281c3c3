import { fileURLToPath } from 'node:url'
import { CountersignError } from '../lib/errors.ts'
import { createDatabase } from './database.ts'
import type { Dialect } from './dialect.ts'
import { sqlite } from './dialects/sqlite.ts'
import { migrate } from './migrations.ts'
import { createNotices, type Notices } from './notices.ts'
import { createStores, type Stores } from './stores.ts'

/** An open database, up to date. */
export type Storage = Readonly<{
  dialect: Dialect['name']
  /** Whether what was committed outlives the process. */
  durable: boolean
  stores: Stores
  /**
   * All of the work or none of it. Inside, only the stores that are handed in may be used: any other query is refused,
   * because it would wait for the transaction that waits for it. What throws inside undoes the work and is thrown on.
   */
  transaction<T>(work: (stores: Stores) => Promise<T>): Promise<T>
  /** The database's clock in ms: the one clock for windows, expiries, nonces and limits. */
  now(): Promise<number>
  /** Tells every process that these have changed: request hashes of new verdicts. */
  notify: Notices['notify']
  /** Until this has changed, and no longer than given (ms). */
  heard: Notices['heard']
  /** @throws CountersignError unavailable when the database does not answer */
  check(): Promise<void>
  close(): Promise<void>
}>

/**
 * `url` is the value of DATABASE_URL; undefined is a database in memory. `poolSize` is for PostgreSQL. `clock` (ms) takes the
 * place of the clock of a database in memory, and of no other: a simulation has its own time.
 */
export type StorageOptions = Readonly<{ url: string | undefined; poolSize?: number; clock?: () => number }>

const POOL_SIZE = 10

/**
 * Opens a database and brings its tables up to date (contract section 1).
 *
 * @throws CountersignError invalid_request for an address of another kind, unavailable when it cannot be opened
 */
export async function openStorage({ url, poolSize = POOL_SIZE, clock }: StorageOptions): Promise<Storage> {
  const dialect = await dialectOf(url, poolSize, clock)
  const database = createDatabase(dialect)
  const notices = createNotices(database.query, dialect)
  const close = async () => {
    await notices.close()
    await database.query.destroy()
  }
  try {
    await migrate(database.query, dialect)
  } catch (thrown) {
    await close()
    throw thrown
  }
  return {
    dialect: dialect.name,
    durable: dialect.durable,
    stores: createStores(database),
    transaction: (work) => database.atomically((inner) => work(createStores(inner))),
    now: database.now,
    notify: notices.notify,
    heard: notices.heard,
    async check() {
      await database.now()
    },
    close,
  }
}

async function dialectOf(url: string | undefined, poolSize: number, clock: StorageOptions['clock']): Promise<Dialect> {
  if (url === undefined) return sqlite(undefined, clock)
  if (clock !== undefined) throw new CountersignError('invalid_request', 'Only a database in memory has another clock.')
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url))
    return (await import('./dialects/postgres.ts')).postgres(url, poolSize)
  const path = filePath(url)
  if (path !== undefined) return sqlite(path)
  throw new CountersignError('invalid_request', 'DATABASE_URL must be postgres://…, file:<path> or unset.')
}

/** The path of `file:<path>` or `file:///<path>`. SQLite's own parameters and names behind it are not understood. */
function filePath(url: string): string | undefined {
  if (!/^file:[^?#\0]+$/.test(url) || url.startsWith('file::')) return undefined
  if (!url.startsWith('file://')) return url.slice('file:'.length)
  return /^file:\/\/\/[^%]+$/.test(url) ? fileURLToPath(url) : undefined
}
