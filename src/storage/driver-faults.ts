import type { DatabaseConnection, Driver, Dialect as KyselyDialect } from 'kysely'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { Dialect } from './dialect.ts'

/**
 * The dialect with every fault of its driver as a CountersignError: `conflict` where the data contradict what is stored,
 * `invalid_request` where a value is none that the database keeps, else `unavailable`.
 */
export function withDriverFaults(dialect: Dialect): KyselyDialect {
  const { kysely } = dialect
  return {
    createDriver: () => reporting(kysely.createDriver(), dialect),
    createQueryCompiler: () => kysely.createQueryCompiler(),
    createAdapter: () => kysely.createAdapter(),
    createIntrospector: (query) => kysely.createIntrospector(query),
  }
}

function reporting(driver: Driver, dialect: Dialect): Driver {
  const known = new WeakSet<DatabaseConnection>()
  const reported = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (thrown) {
      throw faultOf(thrown, dialect)
    }
  }
  return {
    init: (options) => reported(driver.init(options)),
    async acquireConnection(options) {
      const connection = await reported(driver.acquireConnection(options))
      if (!known.has(connection)) {
        known.add(connection)
        const execute = connection.executeQuery.bind(connection)
        connection.executeQuery = (query, settings) => reported(execute(query, settings))
      }
      return connection
    },
    beginTransaction: (connection, settings) => reported(driver.beginTransaction(connection, settings)),
    commitTransaction: (connection) => reported(driver.commitTransaction(connection)),
    rollbackTransaction: (connection) => reported(driver.rollbackTransaction(connection)),
    releaseConnection: (connection, options) => driver.releaseConnection(connection, options),
    destroy: (options) => driver.destroy(options),
  }
}

function faultOf(thrown: unknown, dialect: Dialect): CountersignError {
  if (thrown instanceof CountersignError) return thrown
  // The driver's own error can carry addresses and row values: only its sentence is kept, and only as the cause.
  const cause = new Error(messageOf(thrown))
  if (dialect.isContradiction(thrown)) {
    return new CountersignError('conflict', 'This contradicts what is already stored.', { cause })
  }
  if (dialect.isUnkeepable?.(thrown))
    return new CountersignError('invalid_request', `A value cannot be stored (${codeOf(thrown)}).`, { cause })
  return new CountersignError('unavailable', `The database did not answer (${codeOf(thrown)}).`, { cause })
}

/** SQLSTATE, SQLite's result code or the operating system's word: enough to look the fault up. */
function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'unknown'
  if ('errcode' in thrown && typeof thrown.errcode === 'number') return `SQLite ${thrown.errcode}`
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : thrown.name
}
