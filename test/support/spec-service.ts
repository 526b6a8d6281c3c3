// The service as its clients see it: at TEST_BASE_URL (…/api, with TEST_ADMIN_KEY), or processes that are started here.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EvmTx } from '../../src/schema/action.ts'
import type { Policy } from '../../src/schema/policy.ts'
import type { Verdict } from '../../src/schema/verdict.ts'
import { randomAddress } from '../storage/fixtures.ts'
import { startPostgres } from './postgres.ts'
import { startProduct, temporaryFolder } from './product.ts'

export const CHAIN_ID = 8453
/** US dollars of one ETH where the tests start the service. */
export const ETH_USD = 2_000

/** An answer, read whole. */
export type Answer = Readonly<{ status: number; headers: Headers; text: string; body: Record<string, unknown> }>

export type Sent = Readonly<{
  key?: string | undefined
  body?: unknown
  headers?: Readonly<Record<string, string>>
  /** Which process is asked, where there are several. */
  replica?: number
}>

/** Requests a minute, as the configuration names them; without limit where nothing is said. */
export type Limits = Readonly<Record<string, number>>

const SERVICES: Readonly<Record<string, (replicas: number, limits: Limits) => Promise<Started>>> = {
  'SQLite in a file': async (_, limits) => {
    const folder = await temporaryFolder()
    return startAll([`file:${join(folder.path, 'store.db')}`], limits, folder.remove)
  },
  'a PostgreSQL server': async (replicas, limits) => {
    const server = await startPostgres()
    const url = await server.createDatabase()
    return startAll(
      Array.from({ length: replicas }, () => url),
      limits,
      server.stop,
    )
  },
}

type Started = Readonly<{
  urls: readonly string[]
  adminKey: string
  processes: readonly Awaited<ReturnType<typeof startProduct>>[]
  stop(): Promise<void>
}>

/** Where the tests of the specification run: both databases, or the one service that is named. */
export const SPEC_SERVICES: readonly string[] =
  process.env['TEST_BASE_URL'] === undefined ? Object.keys(SERVICES) : ['TEST_BASE_URL']

const ADMIN_KEY = 'an-admin-key-of-the-tests-of-the-specification'

const UNLIMITED: Limits = {
  agentPerMinute: 0,
  partnerPerMinute: 0,
  partnerPolicyPerMinute: 0,
  publicPerMinute: 0,
  authPerMinute: 0,
  adminPerMinute: 0,
}

async function startAll(databases: readonly string[], limits: Limits, cleanUp: () => Promise<void>): Promise<Started> {
  const folder = await temporaryFolder()
  const prices = { [`${CHAIN_ID}:native`]: `${ETH_USD}.00`, '1:native': `${ETH_USD}.00` }
  const table = { asOf: new Date().toISOString(), maxAgeSeconds: 86_400, prices }
  const config = {
    service: { rateLimits: { ...UNLIMITED, ...limits } },
    sources: { prices: { table }, sanctions: { maxAgeDays: 36_500 } },
    channels: { web: { enabled: false } },
  }
  await writeFile(join(folder.path, 'agents.config.json'), JSON.stringify(config))
  const processes: Awaited<ReturnType<typeof startProduct>>[] = []
  for (const DATABASE_URL of databases)
    processes.push(await startProduct({ cwd: folder.path, env: { DATABASE_URL, SERVICE_ADMIN_KEY: ADMIN_KEY } }))
  return {
    urls: processes.map(({ url }) => `${url}/api`),
    adminKey: ADMIN_KEY,
    processes,
    async stop() {
      await Promise.all(processes.map((product) => product.stop()))
      await cleanUp()
      await folder.remove()
    },
  }
}

async function start(name: string, replicas: number, limits: Limits): Promise<Started> {
  const given = process.env['TEST_BASE_URL']
  if (given === undefined) return (SERVICES[name] ?? assert.fail(name))(replicas, limits)
  const adminKey = process.env['TEST_ADMIN_KEY'] ?? assert.fail('TEST_ADMIN_KEY is the admin key of TEST_BASE_URL.')
  return { urls: given.split(','), adminKey, processes: [], stop: async () => undefined }
}

/** A service and clients of each of its interfaces. */
export async function startSpecService(name: string, replicas = 1, limits: Limits = {}) {
  const { urls, adminKey, processes, stop } = await start(name, replicas, limits)

  async function send(method: string, path: string, sent: Sent = {}): Promise<Answer> {
    const { key, body, headers = {}, replica = 0 } = sent
    const all = {
      ...(key !== undefined && { 'x-api-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const init = body === undefined ? { method, headers: all } : { method, headers: all, body: text }
    const response = await fetch(`${urls[replica % urls.length]}${path}`, init)
    const answer = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    const parsed = isJson && answer !== '' ? (JSON.parse(answer) as Record<string, unknown>) : {}
    return { status: response.status, headers: response.headers, text: answer, body: parsed }
  }
  const admin = async (method: string, path: string, body?: unknown, headers = {}) =>
    send(method, `/admin${path}`, { key: adminKey, headers, ...(body !== undefined && { body }) })
  const made = async (method: string, path: string, body: unknown) => {
    const answer = await admin(method, path, body)
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }

  return {
    urls,
    adminKey,
    processes,
    stop,
    send,
    admin,
    /** An agent with a wallet, a policy and a key. */
    async newAgent(policy: Policy | null = {}) {
      const [wallet, ethereumAddress] = [randomAddress(), randomAddress()]
      const agent = { name: 'agent', ethereumAddress, wallets: [{ address: wallet, chainIds: [CHAIN_ID] }] }
      const { id: agentId } = await made('POST', '/agents', agent)
      if (policy !== null) await made('PUT', `/policies/${wallet}`, policy)
      const { apiKey } = await made('POST', '/api-keys', { type: 'AGENT', agentId })
      return { wallet, ethereumAddress, key: String(apiKey), agentId: String(agentId) }
    },
    /** An integrator with a wallet and its policy. `send` is with its credentials. */
    async newPartner(policy: Policy | null = {}) {
      const { appId, apiKey } = await made('POST', '/integrators', { name: 'partner' })
      const wallet = randomAddress()
      await made('POST', `/integrators/${String(appId)}/wallets`, { walletAddress: wallet, chainIds: [CHAIN_ID] })
      if (policy !== null) await made('PUT', `/policies/${wallet}`, policy)
      const own = { 'x-app-id': String(appId), 'x-api-key': String(apiKey) }
      return {
        wallet,
        appId: String(appId),
        key: String(apiKey),
        send: (method: string, path: string, { headers = {}, ...sent }: Sent = {}) =>
          send(method, `/integrator${path}`, { ...sent, headers: { ...own, ...headers } }),
      }
    },
    /** Polls until there is a verdict. */
    async verdictOn(requestHash: string, key: string): Promise<Verdict> {
      for (;;) {
        const { status, body, text } = await send('GET', `/transactions/${requestHash}/approval-status`, { key })
        assert.equal(status, 200, text)
        if (body['verdict'] !== null) return body['verdict'] as Verdict
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
  }
}

export type SpecService = Awaited<ReturnType<typeof startSpecService>>

/** A payment of native coin of a wallet to itself: what a policy without limits approves. */
export function payment(wallet: string, wei = 10n ** 16n): EvmTx {
  return {
    protocol: 'native',
    chainId: CHAIN_ID,
    to: wallet as EvmTx['to'],
    data: '0x',
    value: `0x${wei.toString(16)}`,
  }
}

/** Asserts an error answer, and gives its `detail`. */
export function assertProblem(answer: Answer, status: number, error: string): string {
  assert.equal(answer.status, status, answer.text)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/)
  assert.equal(answer.body['error'], error, answer.text)
  assert.equal(answer.body['status'], status)
  assert.equal(answer.body['requestId'], answer.headers.get('x-request-id'))
  return String(answer.body['detail'])
}
