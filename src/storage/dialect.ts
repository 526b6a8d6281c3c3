import type { Kysely, Dialect as KyselyDialect, RawBuilder } from 'kysely'
import type { Tables } from './tables.ts'

/** What differs between the databases. Everything else is one set of queries. */
export type Dialect = Readonly<{
  name: 'sqlite' | 'postgres'
  /** Whether what was committed outlives the process. */
  durable: boolean
  kysely: KyselyDialect
  /** The database's clock as an expression: whole milliseconds since 1970, moving on inside a transaction. */
  now: RawBuilder<number>
  /** The same as of the beginning of the statement: it does not move, so that an index is searched by it. */
  asOf: RawBuilder<number>
  /** Type of a primary key column that counts rows in the order of their insertion. */
  serial: RawBuilder<unknown>
  /** Whether rows are locked one by one, so that a read which decides a write must say `for update`. */
  locksRows: boolean
  /** Waits for a lock by name, and has it until the transaction ends. A statement of its own: what follows it sees what was committed before. */
  lock(query: Kysely<Tables>, name: string): Promise<void>
  /** How processes of one database tell each other that something changed; nothing where there is one process. */
  notices?: Readonly<{
    send(query: Kysely<Tables>, text: string): Promise<void>
    listen(hear: (text: string) => void): Readonly<{ close(): Promise<void> }>
  }>
  /** Whether a fault of the driver says that the data contradict what is stored. */
  isContradiction(thrown: unknown): boolean
  /** Whether a fault of the driver says that a value is none that the database keeps; absent where it keeps any. */
  isUnkeepable?(thrown: unknown): boolean
}>
