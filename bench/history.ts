import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { toAddress } from '../src/lib/address.ts'
import { openStorage } from '../src/storage/index.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { type Bench, duration, quantile, type Row } from './measure.ts'

const HISTORIES = [1_000, 100_000, 1_000_000]
const READS = 200
/** A read that takes long is not made as often. */
const LONGEST_MS = 5_000
const DAY_MS = 86_400_000
const WALLET = toAddress('0x2222222222222222222222222222222222222222')
/** What keeps holds in order beside their key: without it until they are all there. */
const INDEXES = {
  holds_by_state: '(state, expires_at)',
  holds_by_window: '(wallet, state, posted_at)',
} as const

/** A store that is filled from its own side. */
type Filled = Readonly<{ url: string; execute(statements: readonly string[]): Promise<void> }>

/** What a decision reads of the ledger, beside a history of one wallet. */
export const remembering: Bench = {
  title: 'A long history',
  about: `What a decision reads under the wallet's lock (the time, the policy's version, the sum of 24 hours), beside so many posted holds of the same wallet: all of them older than 24 hours, then all of them younger; up to ${READS} reads.`,
  async run() {
    const server = await startPostgres()
    const folder = mkdtempSync(join(tmpdir(), 'bench-'))
    try {
      const rows: Row[] = []
      for (const history of HISTORIES) {
        const url = await server.createDatabase()
        rows.push(...(await measure('PostgreSQL', { url, execute: (list) => onServer(url, list) }, history)))
        const path = join(folder, `${history}.db`)
        rows.push(
          ...(await measure('SQLite', { url: `file:${path}`, execute: async (list) => inFile(path, list) }, history)),
        )
      }
      return rows
    } finally {
      rmSync(folder, { recursive: true })
      await server.stop()
    }
  },
}

async function measure(name: string, { url, execute }: Filled, history: number): Promise<readonly Row[]> {
  const first = await openStorage({ url })
  const [agent, now] = [await first.stores.agents.create({ name: 'a', ethereumAddress: WALLET }), await first.now()]
  await first.stores.wallets.register({ address: WALLET, chainIds: [1], agentId: agent.id })
  await first.close()
  const count = history.toLocaleString('en')
  const rows: Row[] = []
  for (const [age, before] of [
    ['older', 2 * DAY_MS],
    ['of today', 0],
  ] as const) {
    await execute(filling(history, now - before))
    const storage = await openStorage({ url })
    const times = await timesOf(() => storage.transaction(({ holds }) => holds.standing(WALLET, DAY_MS)))
    await storage.close()
    const what = `${name}, ${count} holds, ${age}`
    rows.push({ what, median: duration(quantile(times, 0.5)), p95: duration(quantile(times, 0.95)) })
  }
  return rows
}

/** Statements that make a wallet's posted holds, evenly over the 20 hours before a moment. Both databases understand them. */
function filling(history: number, until: number): readonly string[] {
  const indexes = Object.entries(INDEXES)
  const every = Math.floor((20 * 3_600_000) / history)
  return [
    'delete from holds',
    'delete from outflow_minutes',
    ...indexes.map(([index]) => `drop index ${index}`),
    `insert into holds (request_hash, wallet, micro_usd, state, posted_at, created_at)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < ${history})
     select 'h' || i, '${WALLET}', 1, 'posted', ${until} - i * ${every}, ${until} - i * ${every} from n`,
    ...indexes.map(([index, columns]) => `create index ${index} on holds ${columns}`),
    `insert into outflow_minutes (wallet, minute, micro_usd)
     select wallet, posted_at / 60000, sum(micro_usd) from holds group by 1, 2`,
  ]
}

async function onServer(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // There are no submissions that they belong to.
  await client.query('alter table holds drop constraint if exists holds_transaction')
  for (const statement of statements) await client.query(statement)
  await client.query('vacuum analyze holds, outflow_minutes')
  await client.end()
}

function inFile(path: string, statements: readonly string[]): void {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  for (const statement of statements) database.exec(statement)
  database.close()
}

async function timesOf(read: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  const until = performance.now() + LONGEST_MS
  while (times.length < READS && (times.length < 5 || performance.now() < until)) {
    const from = performance.now()
    await read()
    times.push(performance.now() - from)
  }
  return times
}
