import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Dialect } from './dialect.ts'

const CHANNEL = 'countersign'
/** After a connection that broke, so long (ms) until the next. */
const RECONNECT_MS = 1_000
const CONNECT_MS = 5_000
const END_MS = 1_000

/** LISTEN and NOTIFY, on one connection that listens and is made anew when it breaks. */
export function postgresNotices(url: string): NonNullable<Dialect['notices']> {
  return {
    async send(query, text) {
      await sql`select pg_notify(${CHANNEL}, ${text})`.execute(query)
    },
    listen(hear) {
      let closed = false
      let client: pg.Client | undefined
      let timer: NodeJS.Timeout | undefined
      const connect = () => {
        const own = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, keepAlive: true })
        client = own
        const again = () => {
          if (client !== own) return
          client = undefined
          // It may be whole where the server only knows no LISTEN.
          void own.end().catch(() => undefined)
          if (!closed) timer = setTimeout(connect, RECONNECT_MS).unref()
        }
        own.on('notification', ({ payload = '' }) => hear(payload))
        own.on('error', again)
        own.on('end', again)
        own
          .connect()
          .then(() => own.query(`listen ${CHANNEL}`))
          .catch(again)
      }
      connect()
      return {
        async close() {
          closed = true
          clearTimeout(timer)
          // A connection that is half open would let the end wait for ever.
          await Promise.race([client?.end().catch(() => undefined), sleep(END_MS, undefined, { ref: false })])
        },
      }
    },
  }
}
