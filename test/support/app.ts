import assert from 'node:assert/strict'
import { createServer, routes } from '../../src/api/index.ts'
import { createAgents, createAuth, createIdentity, createIntegrators } from '../../src/auth/index.ts'
import type { Address } from '../../src/lib/address.ts'
import { type Log, silentLog } from '../../src/lib/log.ts'
import { type AnySource, createPolicyService, type Principal } from '../../src/policy/index.ts'
import { TransactionRecord } from '../../src/schema/action.ts'
import { ApprovalStatus } from '../../src/schema/approval-status.ts'
import type { Policy } from '../../src/schema/policy.ts'
import type { Verdict } from '../../src/schema/verdict.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { randomAddress } from '../storage/fixtures.ts'
import { attestor } from './attestor.ts'
import { quietMetrics } from './quiet-metrics.ts'
import { validatorFor } from './validator.ts'

const PUBLIC_URL = 'https://verify.example/api'
const ADMIN_KEY = 'an-admin-key-of-a-test-that-is-long-enough'

export type ServiceOptions = Readonly<{
  sources?: readonly AnySource[]
  /** In memory by default. */
  databaseUrl?: string
  storage?: Storage
  log?: Log
}>

/** The policy service over a store, with sources of its own. */
export async function startService({ sources = [], databaseUrl, log = silentLog, ...given }: ServiceOptions = {}) {
  const storage = given.storage ?? (await openStorage({ url: databaseUrl, poolSize: 8 }))
  const policy = createPolicyService({ storage, sources, log, attestor, approvalTtlSeconds: 120 })
  return {
    storage,
    policy,
    /** An agent with the wallet on the chains, and the wallet's policy where one is given. */
    async agentOf(wallet: Address, chainIds: readonly number[], first?: Policy): Promise<Principal> {
      const agent = await storage.stores.agents.create({ name: 'agent', ethereumAddress: randomAddress() })
      await storage.stores.wallets.register({ address: wallet, chainIds, agentId: agent.id })
      if (first) await policy.writePolicy(wallet, first, 'test')
      return { id: `key of ${agent.id}`, agentId: agent.id, scopes: ['verdicts:create:own', 'transactions:read:own'] }
    },
    close: () => storage.close(),
  }
}

/** The policy service behind its REST API on a free port. */
export async function startApp(options: ServiceOptions = {}) {
  const service = await startService(options)
  const { storage, policy } = service
  const auth = createAuth({ storage, adminKey: ADMIN_KEY })
  const agents = createAgents({ storage })
  const health = { uptimeSeconds: () => 0, readiness: async () => ({ ready: true, checks: {} }) }
  const server = createServer({
    routes,
    log: silentLog,
    settings: { publicUrl: PUBLIC_URL },
    services: {
      validator: validatorFor(policy),
      policy,
      auth,
      agents,
      integrators: createIntegrators({ storage, auth }),
      identity: createIdentity({ storage, auth, chains: { of: () => undefined }, publicUrl: PUBLIC_URL }),
      audit: storage.stores.audit,
      health,
      verificationServices: [],
      metrics: quietMetrics,
      version: '0.0.0',
    },
  })
  const { port } = await server.listen(0, '127.0.0.1')

  async function send(method: string, path: string, key: string, body?: object) {
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    const headers = { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const response = await fetch(`http://127.0.0.1:${port}/api${path}`, { method, headers, ...init })
    return { status: response.status, body: (await response.json()) as unknown }
  }

  return {
    ...service,
    /** Where the API is. */
    url: `http://127.0.0.1:${port}/api`,
    send,
    admin: (method: string, path: string, body?: object) => send(method, `/admin${path}`, ADMIN_KEY, body),
    /** Key of an agent that has the wallet. */
    async keyOf(wallet: Address, chainIds: readonly number[]): Promise<string> {
      const { agentId } = await service.agentOf(wallet, chainIds)
      return (await auth.issueKey({ type: 'AGENT', agentId: agentId ?? '' })).apiKey
    },
    /** Submits, and polls until there is a verdict. */
    async verdictOn(key: string, request: object): Promise<Verdict> {
      const submitted = await send('POST', '/transactions', key, request)
      assert.equal(submitted.status, 201, JSON.stringify(submitted.body))
      const { requestHash } = TransactionRecord.parse(submitted.body)
      for (;;) {
        const { status, body } = await send('GET', `/transactions/${requestHash}/approval-status`, key)
        assert.equal(status, 200, JSON.stringify(body))
        const { verdict } = ApprovalStatus.parse(body)
        if (verdict !== null) return verdict
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    },
    async close() {
      await server.close()
      await service.close()
    },
  }
}
