import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import Koa from 'koa'
import pg from 'pg'
import { createServer, routes } from '../src/api/index.ts'
import { createAgents, createAuth, createIdentity, createIntegrators } from '../src/auth/index.ts'
import { toAddress } from '../src/lib/address.ts'
import { canonicalJson } from '../src/lib/canonical-json.ts'
import { silentLog } from '../src/lib/log.ts'
import { createAttestor, createPolicyService, sanctions, tokenIdentity, usdPrice } from '../src/policy/index.ts'
import { SubmitRequest } from '../src/schema/action.ts'
import { openStorage } from '../src/storage/index.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { validatorFor } from '../test/support/validator.ts'
import { type Bench, duration, quantile, type Row } from './measure.ts'

const REQUESTS = Number(process.env['BENCH_REQUESTS'] ?? 2_000)
const AT_ONCE = 64
const PER_SECOND = 50
const PACED_SECONDS = 10
const CHAIN_ID = 8453
const WALLET = toAddress('0x2222222222222222222222222222222222222222')
const FRIEND = '0x00000000000000000000000000000000000f121e'

/** One wallet that everything goes through: the hardest case, because its decisions wait for each other. */
export const submitting: Bench = {
  title: 'Submissions on PostgreSQL',
  about: `\`POST /transactions\` until the verdict is stored, all for one wallet with a 24-hour cap, ${AT_ONCE} at a time over ${REQUESTS} requests, beside a bare Koa handler that validates, hashes and inserts one row, on the same server from npm (\`fsync\` off for both); then at ${PER_SECOND} requests a second.`,
  async run() {
    const server = await startPostgres()
    try {
      const bare = await startBare(await server.createDatabase())
      const service = await startService(await server.createDatabase())
      // What is compiled while it runs is compiled before it is measured.
      for (const { send } of [bare, service]) await flood(send, REQUESTS / 4)
      const plain = await flood(bare.send, REQUESTS)
      const whole = await flood(service.send, REQUESTS)
      const paced = await pace(service.send)
      await service.close()
      await bare.close()
      return [
        rate('bare handler', plain),
        rate('to the stored verdict', whole),
        { what: 'share of the bare handler', median: `${Math.round((plain.seconds / whole.seconds) * 100)} %` },
        ...latency(`at ${PER_SECOND} a second, to the stored verdict`, paced),
      ]
    } finally {
      await server.stop()
    }
  },
}

type Send = (i: number) => Promise<void>
type Flood = Readonly<{ seconds: number; requests: number }>

function rate(what: string, { seconds, requests }: Flood): Row {
  return { what, median: `${Math.round(requests / seconds)} a second` }
}

function latency(what: string, times: readonly number[]): readonly Row[] {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => duration(quantile(times, share)))
  return [
    { what, median: p50 ?? '', p95: p95 ?? '' },
    { what: `${what}, p99`, median: p99 ?? '' },
  ]
}

async function flood(send: Send, requests: number): Promise<Flood> {
  const started = performance.now()
  let next = 0
  const worker = async () => {
    while (next < requests) await send(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return { seconds: (performance.now() - started) / 1000, requests }
}

async function pace(send: Send): Promise<readonly number[]> {
  const times: number[] = []
  const all: Promise<void>[] = []
  const started = performance.now()
  for (let i = 0; i < PER_SECOND * PACED_SECONDS; i++) {
    await sleep(Math.max(0, started + (i * 1000) / PER_SECOND - performance.now()))
    const from = performance.now()
    all.push(send(i).then(() => void times.push(performance.now() - from)))
  }
  await Promise.all(all)
  return times
}

function body(i: number): string {
  const value = `0x${(10n ** 12n + BigInt(i)).toString(16)}`
  const proposedTx = { protocol: 'native', chainId: CHAIN_ID, to: FRIEND, data: '0x', value }
  return JSON.stringify({ escrowAddress: WALLET, prompt: 'Pay a friend.', proposedTx })
}

async function post(url: string, headers: Record<string, string>, i: number): Promise<unknown> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: body(i) }
  const response = await fetch(url, init)
  const answer: unknown = await response.json()
  if (response.status !== 201) throw new Error(JSON.stringify(answer))
  return answer
}

async function startBare(url: string) {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  await pool.query(
    'create table requests (id text primary key, hash text not null, body text not null, at timestamptz)',
  )
  const app = new Koa()
  app.use(async (ctx) => {
    const chunks: Buffer[] = []
    for await (const chunk of ctx.req as AsyncIterable<Buffer>) chunks.push(chunk)
    const request = SubmitRequest.parse(JSON.parse(Buffer.concat(chunks).toString()))
    const id = crypto.randomUUID()
    const hash = createHash('sha256').update(canonicalJson({ id, request })).digest('hex')
    await pool.query('insert into requests values ($1, $2, $3, now())', [id, hash, JSON.stringify(request)])
    ctx.status = 201
    ctx.body = { id, hash }
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    send: async (i: number) => void (await post(`http://127.0.0.1:${port}/`, {}, i)),
    async close() {
      server.close()
      await pool.end()
    },
  }
}

async function startService(url: string) {
  const storage = await openStorage({ url })
  const auth = createAuth({ storage, adminKey: undefined })
  const agents = createAgents({ storage })
  const now = () => new Date()
  const chains = { of: () => undefined }
  const table = { asOf: now().toISOString(), maxAgeSeconds: 86_400, prices: { [`${CHAIN_ID}:native`]: '2000.00' } }
  const sources = [
    usdPrice({ chains, now, table }),
    tokenIdentity({ chains, now }),
    sanctions({ chains, now, maxAgeDays: 36_500 }),
  ]
  const attestor = createAttestor(`0x${'11'.repeat(32)}`)
  const policy = createPolicyService({ storage, sources, log: silentLog, attestor, approvalTtlSeconds: 120 })
  const finished = new Map<string, Promise<unknown>>()
  // Whoever waits for the verdict is told by the service itself: what is measured is the decision, and no polling.
  const watched = {
    ...policy,
    async submit(...args: Parameters<typeof policy.submit>) {
      const submission = await policy.submit(...args)
      finished.set(submission.record.requestHash, submission.decided)
      return submission
    },
  }
  const server = createServer({
    routes,
    log: silentLog,
    settings: { publicUrl: 'http://localhost/api' },
    services: {
      policy: watched,
      auth,
      agents,
      integrators: createIntegrators({ storage, auth }),
      identity: createIdentity({ storage, auth, chains, publicUrl: 'http://localhost/api' }),
      audit: storage.stores.audit,
      health: { uptimeSeconds: () => 0, readiness: async () => ({ ready: true, checks: {} }) },
      validator: validatorFor(policy),
      verificationServices: [],
      metrics: { request() {}, text: async () => '' },
      version: '0.0.0',
    },
  })
  const { port } = await server.listen(0, '127.0.0.1')
  const wallets = [{ address: WALLET, chainIds: [CHAIN_ID] }]
  const agent = await agents.register({ name: 'a', ethereumAddress: WALLET, wallets }, 'bench')
  await policy.writePolicy(WALLET, { recipients: { allow: [FRIEND] }, caps: { outflow24hUsd: 1e9 } }, 'bench')
  const { apiKey } = await auth.issueKey({ type: 'AGENT', agentId: agent.id })
  return {
    async send(i: number) {
      const answer = await post(`http://127.0.0.1:${port}/api/transactions`, { 'x-api-key': apiKey }, i)
      const { requestHash } = answer as { requestHash: string }
      await finished.get(requestHash)
      finished.delete(requestHash)
    },
    async close() {
      await server.close()
      await storage.close()
    },
  }
}
