import type { Compilable, DatabaseConnection, Driver, Kysely, Dialect as KyselyDialect } from 'kysely'
import type { Tables } from './tables.ts'

/** Compiled statements that nobody waits for. */
const ahead = new WeakSet<object>()

/**
 * Executes a statement whose result nobody needs. In a transaction it is sent and not waited for: the next statement, or
 * the end of the transaction, follows it in the same round trip, and fails with its fault where it failed. The server
 * works them off in their order, each with a snapshot of its own, so that what follows a lock sees what the lock waited for.
 */
export async function sendAhead(query: Kysely<Tables>, statement: Compilable): Promise<void> {
  const compiled = statement.compile()
  // What fails before it reaches the server would fail nothing there: such a statement is waited for.
  if (query.isTransaction && compiled.parameters.every(isPlain)) ahead.add(compiled)
  await query.executeQuery(compiled)
}

/** Whether the driver writes a parameter as it is, with nothing in it that could throw. */
function isPlain(parameter: unknown): boolean {
  return parameter === null || ['string', 'number', 'bigint', 'boolean'].includes(typeof parameter)
}

/** A dialect whose driver does not wait for what is sent ahead, nor for the beginning of a transaction. */
export function pipelined(dialect: KyselyDialect): KyselyDialect {
  return {
    createDriver: () => sendingAhead(dialect.createDriver()),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (query) => dialect.createIntrospector(query),
  }
}

function sendingAhead(driver: Driver): Driver {
  const known = new WeakSet<DatabaseConnection>()
  /** What was sent on a connection and nobody has waited for; it fails with the fault of the first that failed. */
  const sent = new WeakMap<DatabaseConnection, Promise<unknown>>()
  /** The beginning of a connection's transaction. */
  const begun = new WeakMap<DatabaseConnection, Promise<unknown>>()

  const leave = (connection: DatabaseConnection, work: Promise<unknown>) => {
    const before = sent.get(connection)
    const all = before === undefined ? work : before.then(() => work)
    for (const one of [work, all]) one.catch(() => undefined)
    sent.set(connection, all)
  }
  const take = async <T>(connection: DatabaseConnection, work: Promise<T>): Promise<T> => {
    const before = sent.get(connection)
    sent.delete(connection)
    work.catch(() => undefined)
    await before
    return work
  }
  return {
    init: (options) => driver.init(options),
    async acquireConnection(options) {
      const connection = await driver.acquireConnection(options)
      if (known.has(connection)) return connection
      known.add(connection)
      const execute = connection.executeQuery.bind(connection)
      connection.executeQuery = async <row>(...[query, settings]: Parameters<typeof execute>) => {
        // Where the transaction did not begin, a read that was sent behind it does no harm; a write would stand by itself.
        if (query.query.kind !== 'SelectQueryNode' && begun.has(connection)) await begun.get(connection)
        const work = execute<row>(query, settings)
        if (!ahead.has(query)) return take(connection, work)
        leave(connection, work)
        return { rows: [] }
      }
      return connection
    },
    async beginTransaction(connection, settings) {
      begun.delete(connection)
      const work = driver.beginTransaction(connection, settings)
      begun.set(connection, work)
      leave(connection, work)
    },
    commitTransaction: (connection) => driver.commitTransaction(connection),
    rollbackTransaction(connection) {
      // Whatever failed before is why it is undone.
      sent.delete(connection)
      begun.delete(connection)
      return driver.rollbackTransaction(connection)
    },
    releaseConnection: (connection, options) => driver.releaseConnection(connection, options),
    destroy: (options) => driver.destroy(options),
  }
}
