import { Socket } from 'node:net'
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { watchSilence } from './silence.ts'

const INT8 = 20
/** A write is refused within 2 s where the database is not there (specification 7.1). */
const CONNECT_MS = 1_500
const STATEMENT_MS = 15_000
/** Longer than the server's own limit: it decides only where one connection is silent and the server is not. */
const ANSWER_MS = 20_000
/** A process that stands still in a transaction holds up those that wait for its locks. */
const IDLE_IN_TRANSACTION_MS = 5_000
const NO_SUCH_STATEMENT = '26000'
/** Statements with more parameters are sent whole each time: a plan for each number of rows is not worth its memory. */
const MOST_PARAMETERS = 48
/** Statements that a connection keeps prepared at most. */
const MOST_PREPARED = 200

/**
 * Connections to a PostgreSQL server. Short statements are prepared once a connection; a server that falls silent is
 * found out, and whoever waits for it or comes meanwhile gets an error instead of the wait.
 */
export function postgresPool(url: string, size: number): PostgresPool {
  const sockets = new Set<Socket>()
  const pool = new pg.Pool({ ...settings(url, sockets), max: size })
  // A connection that breaks while idle is replaced at its next use: that it broke is no fault of anybody's query.
  pool.on('error', () => {})
  // Nor is it of the process: one that breaks between two queries of a transaction fails the second of them.
  pool.on('connect', (client) => client.on('error', () => {}))
  const watch = watchSilence({
    probe: (late) => probe(url, late),
    cutOff() {
      for (const socket of sockets) socket.destroy()
    },
  })
  const names = new Map<string, string>()
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  const clientOf = (client: pg.PoolClient): PostgresPoolClient => {
    // After a fault that is not the server's word nobody knows what the server has prepared: it is not used again.
    const state = { broken: false }
    function query<row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<row>>
    function query<row>(cursor: PostgresCursor<row>): PostgresCursor<row>
    function query(text: unknown, values: readonly unknown[] = []): unknown {
      if (typeof text !== 'string') throw new TypeError('Rows are read all at once.')
      const name = nameOf(names, text, values.length)
      const answer = client.query({ text, values: [...values], ...(name !== undefined && { name }) })
      answer.catch((thrown: unknown) => {
        state.broken ||= !(thrown instanceof pg.DatabaseError) || thrown.code === NO_SUCH_STATEMENT
      })
      return watch.until(answer)
    }
    return { query, release: (destroy) => client.release(destroy === true || state.broken) }
  }
  return {
    options: pool.options,
    async connect() {
      if (watch.isSilent()) throw new Error('The server is silent.')
      const client = await watch.until(pool.connect(), 'on this side')
      const known = clients.get(client) ?? clientOf(client)
      clients.set(client, known)
      return known
    },
    async end() {
      watch.stop()
      await pool.end()
    },
  }
}

function settings(url: string, sockets: Set<Socket>): pg.PoolConfig {
  return {
    connectionString: url,
    application_name: 'countersign',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    query_timeout: ANSWER_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    pipeline: true,
    stream() {
      const socket = new Socket()
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
    types: {
      // Milliseconds, versions and nonces fit a number. Money is read as text.
      getTypeParser: (id, format): unknown => (id === INT8 ? Number : pg.types.getTypeParser(id, format)),
    },
  }
}

/** A statement's name, the same on all connections; none for what is not to be prepared. */
function nameOf(names: Map<string, string>, text: string, parameters: number): string | undefined {
  const known = names.get(text)
  if (known !== undefined || parameters === 0 || parameters > MOST_PARAMETERS || names.size >= MOST_PREPARED)
    return known
  const name = `countersign_${names.size + 1}`
  names.set(text, name)
  return name
}

/** Whether a server answers a new connection: its refusal is an answer too, as when it has no connections left. */
async function probe(url: string, late: AbortSignal): Promise<void> {
  const socket = new Socket()
  const client = new pg.Client({ connectionString: url, stream: () => socket })
  client.on('error', () => {})
  late.addEventListener('abort', () => socket.destroy())
  try {
    await client.connect()
    await client.query('select 1')
  } catch (thrown) {
    if (!(thrown instanceof pg.DatabaseError)) throw thrown
  } finally {
    socket.destroy()
  }
}
