import { performance } from 'node:perf_hooks'
import pg from 'pg'
import { toAddress } from '../src/lib/address.ts'
import { openStorage } from '../src/storage/index.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { type Bench, duration, quantile, type Row } from './measure.ts'

const HISTORIES = [1_000, 100_000, 1_000_000]
const READS = 200
const DAY_MS = 86_400_000
const WALLET = toAddress('0x2222222222222222222222222222222222222222')

/** What a decision reads of the ledger, beside a history of one wallet that was posted long before. */
export const remembering: Bench = {
  title: 'A long history',
  about: `What a decision reads under the wallet's lock (the time, the policy's version, the sum of 24 hours), with so many older posted holds of the same wallet, on PostgreSQL; ${READS} reads.`,
  async run() {
    const server = await startPostgres()
    try {
      const rows: Row[] = []
      for (const history of HISTORIES) rows.push(await measure(await server.createDatabase(), history))
      return rows
    } finally {
      await server.stop()
    }
  },
}

async function measure(url: string, history: number): Promise<Row> {
  const storage = await openStorage({ url })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('alter table holds drop constraint holds_transaction')
  await client.query(
    `insert into holds (request_hash, wallet, micro_usd, state, posted_at, created_at)
     select 'h' || n, $1, 1, 'posted', n, n from generate_series(1, $2::bigint) n`,
    [WALLET, history],
  )
  await client.query('analyze holds')
  await client.end()
  const times: number[] = []
  for (let i = 0; i < READS; i++) {
    const from = performance.now()
    await storage.stores.holds.standing(WALLET, DAY_MS)
    times.push(performance.now() - from)
  }
  await storage.close()
  const what = `${history.toLocaleString('en')} older holds`
  return { what, median: duration(quantile(times, 0.5)), p95: duration(quantile(times, 0.95)) }
}
