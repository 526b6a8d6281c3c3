import { performance } from 'node:perf_hooks'
import pg from 'pg'
import { toAddress } from '../src/lib/address.ts'
import { silentLog } from '../src/lib/log.ts'
import { createAttestor, createPolicyService } from '../src/policy/index.ts'
import { openStorage } from '../src/storage/index.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { type Bench, duration, megabytes, quantile, type Row } from './measure.ts'

const SUBMISSIONS = Number(process.env['BENCH_SUBMISSIONS'] ?? 1_000_000)
const READS = 50
const HOURS = 365 * 24
const HOUR_MS = 3_600_000
const ADDRESS = toAddress('0x2222222222222222222222222222222222222222')
const COUNT = SUBMISSIONS.toLocaleString('en')

/** What anybody may read of an agent with a long past. */
export const publishing: Bench = {
  title: 'An agent of a million submissions',
  about: `What is public of an agent with ${COUNT} submissions over a year, on PostgreSQL: its metrics, from hourly counts, and pages of its transactions, from its index; ${READS} reads each.`,
  async run() {
    const server = await startPostgres()
    try {
      return await measure(await server.createDatabase())
    } finally {
      await server.stop()
    }
  },
}

async function measure(url: string): Promise<readonly Row[]> {
  const storage = await openStorage({ url })
  try {
    const { id } = await storage.stores.agents.create({ name: 'a', ethereumAddress: ADDRESS })
    const { seconds, bytes } = await fill(url, id, await storage.now())
    const attestor = createAttestor(`0x${'11'.repeat(32)}`)
    const policy = createPolicyService({ storage, sources: [], log: silentLog, attestor, approvalTtlSeconds: 120 })
    const middle = { limit: 50, cursor: String(Math.floor(SUBMISSIONS / 2)) }
    return [
      await row('metrics of 24 hours', () => policy.agentMetrics(ADDRESS, '24h')),
      await row('metrics of 30 days', () => policy.agentMetrics(ADDRESS, '30d')),
      await row('metrics of all time', () => policy.agentMetrics(ADDRESS, 'all')),
      await row('the first page of 50', () => policy.publicTransactions(ADDRESS, { limit: 50 })),
      await row('a page of 50 in the middle', () => policy.publicTransactions(ADDRESS, middle)),
      { what: `filling \`transactions\`, rows a second`, median: String(Math.round(SUBMISSIONS / seconds)) },
      { what: '`transactions` with its indexes, of a million', median: megabytes((bytes / SUBMISSIONS) * 1e6) },
    ]
  } finally {
    await storage.close()
  }
}

async function row(what: string, read: () => Promise<unknown>): Promise<Row> {
  const times: number[] = []
  for (let i = 0; i < READS; i++) {
    const from = performance.now()
    await read()
    times.push(performance.now() - from)
  }
  return { what, median: duration(quantile(times, 0.5)), p95: duration(quantile(times, 0.95)) }
}

/** Submissions without their verdicts, and the hourly counts of a year. */
async function fill(url: string, agentId: string, now: number) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await fillThrough(client, agentId, now)
  } finally {
    await client.end()
  }
}

async function fillThrough(client: pg.Client, agentId: string, now: number) {
  const from = performance.now()
  await client.query(
    `insert into transactions (id, request_hash, action_hash, agent_id, wallet, chain_id, proposed_tx, description,
       principal, status, created_at, updated_at)
     select gen_random_uuid()::text, '0x' || lpad(to_hex(n), 64, '0'), '0x' || lpad(to_hex(n), 64, 'a'), $1, $2, 8453, $3,
       'Pay a friend.', '{"id":"k"}', 'REJECTED', $4::bigint, $4::bigint from generate_series(1, ${SUBMISSIONS}) n`,
    [
      agentId,
      ADDRESS,
      JSON.stringify({ protocol: 'native', chainId: 8453, to: ADDRESS, data: '0x', value: '0x1' }),
      now,
    ],
  )
  const seconds = (performance.now() - from) / 1000
  await client.query(
    `insert into activity (agent_id, hour, kind, name, count, micro_usd)
     select $1::text, $2::bigint - ($2::bigint % ${HOUR_MS}) - h::bigint * ${HOUR_MS}, kind, name, ceil(${SUBMISSIONS}::numeric / ${HOURS}), 1000000
     from generate_series(0, ${HOURS - 1}) h, (values ('submitted', ''), ('approved', ''), ('rejected', ''), ('executed', ''),
       ('reason', 'allowed'), ('reason', 'outflow_24h_exceeded'), ('protocol', 'native'), ('protocol', 'uniswap'),
       ('latency', '10'), ('latency', '20')) counted (kind, name)`,
    [agentId, now],
  )
  await client.query('vacuum analyze transactions, activity')
  const { rows } = await client.query<{ bytes: string }>("select pg_total_relation_size('transactions')::text as bytes")
  return { seconds, bytes: Number(rows[0]?.bytes) }
}
