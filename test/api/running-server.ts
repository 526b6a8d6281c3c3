// A server on a free port, over a store in memory and the policy service without sources of facts.
import assert from 'node:assert/strict'
import { createServer, type Route, routes, type ServerParts, type Services } from '../../src/api/index.ts'
import { createLimiter, type RateLimits } from '../../src/api/rate-limit.ts'
import { createAgents, createAuth, createIdentity, createIntegrators } from '../../src/auth/index.ts'
import { type Log, silentLog } from '../../src/lib/log.ts'
import { createPolicyService } from '../../src/policy/index.ts'
import { Problem } from '../../src/schema/problem.ts'
import { openStorage } from '../../src/storage/index.ts'
import { attestor } from '../support/attestor.ts'
import { quietMetrics } from '../support/quiet-metrics.ts'
import { validatorFor } from '../support/validator.ts'

export const ADMIN_KEY = 'an-admin-key-of-the-environment-that-is-long'
export const WALLET = '0x2222222222222222222222222222222222222222'
export const HASH = `0x${'ab'.repeat(32)}`

type Options = Readonly<{
  policy?: Partial<Services['policy']>
  routes?: readonly Route[]
  log?: Log
  ready?: boolean
  port?: number
  console?: ServerParts['console']
  programs?: ServerParts['programs']
  webhooks?: ServerParts['webhooks']
  publicUrl?: string
  validationIsPublic?: boolean
  databaseUrl?: string
  limits?: RateLimits
}>

export async function startServer(options: Options = {}) {
  const storage = await openStorage({ url: options.databaseUrl })
  const auth = createAuth({ storage, adminKey: ADMIN_KEY })
  const agents = createAgents({ storage })
  const integrators = createIntegrators({ storage, auth })
  const publicUrl = options.publicUrl ?? 'https://verify.example/api'
  const identity = createIdentity({ storage, auth, chains: { of: () => undefined }, publicUrl })
  const ready = options.ready ?? true
  const policy = createPolicyService({ storage, sources: [], log: silentLog, attestor, approvalTtlSeconds: 120 })
  const services: Services = {
    policy,
    validator: validatorFor(policy),
    auth,
    agents,
    integrators,
    identity,
    audit: storage.stores.audit,
    health: {
      uptimeSeconds: () => 1.5,
      readiness: async () => ({
        ready,
        checks: { store: ready ? { ok: true } : { ok: false, detail: 'unreachable' } },
      }),
    },
    verificationServices: [],
    metrics: quietMetrics,
    limiter: options.limits && createLimiter(options.limits, storage.stores.rateLimits),
    version: '1.2.3',
  }
  const server = createServer({
    routes: [...routes, ...(options.routes ?? [])],
    services,
    log: options.log ?? silentLog,
    settings: { publicUrl, validationIsPublic: options.validationIsPublic ?? false },
    console: options.console,
    programs: options.programs,
    webhooks: options.webhooks,
  })
  const { port } = await server.listen(options.port ?? 0, '127.0.0.1')
  const agent = await agents.register(
    { name: 'a', ethereumAddress: '0x1111111111111111111111111111111111111111' },
    'test',
  )
  const agentKey = (await auth.issueKey({ type: 'AGENT', agentId: agent.id })).apiKey
  const partner = await integrators.register({ name: 'partner' }, await auth.authenticate(ADMIN_KEY))
  const user = await storage.stores.users.of('0x3333333333333333333333333333333333333333', null)
  const userKey = (await auth.issueKey({ type: 'USER', userId: user.id })).apiKey
  const reviewerKey = (await auth.issueKey({ type: 'REVIEWER' })).apiKey
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    port,
    agent,
    agentKey,
    partner,
    /** Credentials that a route takes. */
    headersFor({ auth: needed, scopes }: Route): Record<string, string> {
      const keys = {
        none: undefined,
        'api-key': scopes.includes('transactions:approve:own') ? reviewerKey : agentKey,
        'admin-key': ADMIN_KEY,
        'integration-key': partner.apiKey,
        user: userKey,
      }
      const key = keys[needed]
      return {
        ...(key !== undefined && { 'x-api-key': key }),
        ...(needed === 'integration-key' && { 'x-app-id': partner.appId }),
      }
    },
    auth,
    integrators,
    identity,
    adminPrincipal: await auth.authenticate(ADMIN_KEY),
    storage,
    server,
    /** A request with a JSON body where one is given, and a key where one is given. */
    async request(method: string, path: string, { key, body, headers = {} }: RequestOptions = {}) {
      const sent = {
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      }
      const init = { method, headers: sent, ...(body === undefined ? {} : { body }) }
      const response = await fetch(`${url}${path}`, init)
      return { status: response.status, headers: response.headers, text: await response.text() }
    },
    async close() {
      await server.close()
      await storage.close()
    },
  }
}

type RequestOptions = Readonly<{
  key?: string
  body?: string | Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
}>
export type Answer = Readonly<{ status: number; headers: Headers; text: string }>

/** Asserts that an answer is a well-formed problem, and gives it. */
export function problemIn({ status, headers, text }: Answer): Problem {
  assert.equal(headers.get('content-type'), 'application/problem+json')
  const problem = Problem.parse(JSON.parse(text))
  assert.equal(problem.status, status)
  assert.equal(problem.requestId, headers.get('x-request-id'))
  return problem
}
