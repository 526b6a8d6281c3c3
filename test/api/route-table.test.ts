import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { after, describe, it } from 'node:test'
import Router from '@koa/router'
import { type Route, routes } from '../../src/api/index.ts'
import { createWebChannel } from '../../src/harness/index.ts'
import { toAddress } from '../../src/lib/address.ts'
import { sha256 } from '../../src/lib/hash.ts'
import type { KeyType } from '../../src/schema/api-key.ts'
import { PERMISSIONS } from '../../src/schema/scope.ts'
import { ADMIN_KEY, HASH, problemIn, startServer, WALLET } from './running-server.ts'

/** The only routes that answer without a key, whatever they are asked. */
const PUBLIC = [
  'GET /health',
  'GET /ready',
  'GET /metrics',
  'GET /api',
  'GET /api/health',
  'GET /api/openapi.json',
  'GET /api/verification-services',
  'GET /api/verification-services/active',
  'GET /validation/health',
]
/** Those that need no key, and something to go on. */
const ANYBODY = [
  'GET /api/public/agents/:ethereumAddress',
  'GET /api/public/agents/:ethereumAddress/metrics',
  'GET /api/public/agents/:ethereumAddress/transactions',
  'GET /api/public/agents/:ethereumAddress/transactions/:requestHash',
  'GET /api/verification-services/:id',
  'GET /api/verification-services/inbox/:inbox',
  'GET /api/auth/connect/requests/:requestId',
  'POST /api/auth/connect/requests/:requestId/approve',
  'POST /api/auth/connect/requests/:requestId/decline',
  'POST /api/auth/connect/requests/:requestId/message',
  'POST /api/auth/connect/initiate',
  'GET /api/auth/connect/status',
  'POST /api/auth/siwe/message',
  'POST /api/auth/siwe/nonce',
  'POST /api/auth/siwe/verify',
  'POST /api/auth/refresh',
  'POST /api/auth/logout',
]

// Whatever is added to a router is written down: no door is forgotten below.
const added: { path: string; methods: readonly string[] }[] = []
const register = Router.prototype.register
Router.prototype.register = function (path, methods, ...rest) {
  for (const one of [path].flat()) added.push({ path: String(one), methods })
  return register.call(this, path, methods, ...rest)
}
const chat = createWebChannel()
const consoleParts = { chat, token: 'a-console-token-of-more-than-32-characters', owners: () => [toAddress(WALLET)] }
const running = await startServer({ console: consoleParts })
Router.prototype.register = register
after(() => running.close())

const PARAMS: Readonly<Record<string, string>> = {
  requestHash: HASH,
  walletAddress: WALLET,
  address: WALLET,
  appId: 'x',
  id: 'x',
}
const pathOf = (route: Route) => route.path.replace(/:(\w+)/g, (_, name: string) => PARAMS[name] ?? assert.fail(name))
const nameOf = ({ method, path }: Route) => `${method} ${path}`
/** Standalone validation has error bodies and rules of its own. */
const own = routes.filter(({ path }) => !path.startsWith('/validation/'))
const guarded = own.filter((route) => ![...PUBLIC, ...ANYBODY].includes(nameOf(route)))

describe('every route', () => {
  it('is in one file of its own name', () => {
    const files = globSync('src/api/routes/*/*.ts').map((file) => basename(file, '.ts'))
    const names = files.map((file) => file.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()))
    assert.deepEqual(names.sort(), routes.map(({ operationId }) => operationId).sort())
    assert.equal(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size, routes.length)
  })

  it('that is public answers without a key', async () => {
    for (const name of PUBLIC) {
      const [method = '', path = ''] = name.split(' ')
      assert.equal((await running.request(method, path)).status, 200, name)
    }
  })

  it('that anybody may ask is in the list, and no other is', () => {
    const open = own.filter(({ auth }) => auth === 'none').map(nameOf)
    const listed = [...PUBLIC, ...ANYBODY].filter((name) => !name.includes(' /validation/'))
    assert.deepEqual(open.toSorted(), listed.sort())
  })

  for (const route of guarded)
    it(`${route.method} ${route.path} asks for a key`, async () => {
      assert.notEqual(route.auth, 'none')
      const unknownKey = `cs_admin_${'A'.repeat(43)}`
      for (const key of [undefined, '', 'undefined', 'null', '[object Object]', unknownKey]) {
        const answer = await running.request(route.method, pathOf(route), key === undefined ? {} : { key })
        assert.equal(problemIn(answer).error, 'unauthenticated')
        assert.ok(answer.headers.has('www-authenticate'))
      }
      const bearer = { headers: { authorization: `Bearer ${running.agentKey}` } }
      assert.equal((await running.request(route.method, pathOf(route), bearer)).status, 401)
      const query = await running.request(route.method, `${pathOf(route)}?x-api-key=${ADMIN_KEY}`)
      assert.equal(query.status, 401)
    })

  for (const route of guarded)
    it(`${route.method} ${route.path} asks for one credential only`, async () => {
      const headers = { ...running.headersFor(route), authorization: 'Bearer x' }
      const both = await running.request(route.method, pathOf(route), { headers })
      assert.equal(problemIn(both).errors?.[0]?.path, 'Authorization')
    })

  it('of the admin interface takes an ADMIN key with the scope, and no other', async () => {
    const keys: Record<Exclude<KeyType, 'ADMIN' | 'INTEGRATION'>, string> = {
      AGENT: running.agentKey,
      USER: (await running.auth.issueKey({ type: 'USER' })).apiKey,
      REVIEWER: (await running.auth.issueKey({ type: 'REVIEWER' })).apiKey,
    }
    const { apiKey } = running.partner
    const narrow = (await running.auth.issueKey({ type: 'ADMIN', scopes: ['integrators:read:any'] })).apiKey
    // No key is issued like this: it is refused all the same.
    const key = `cs_user_${'B'.repeat(43)}`
    const scopes = PERMISSIONS.map((pair) => `${pair}:any` as const)
    const forged = {
      type: 'USER',
      digest: sha256(key),
      prefix: 'x',
      agentId: null,
      name: null,
      scopes,
      expiresAt: null,
    } as const
    await running.storage.stores.apiKeys.create(forged)
    const admin = guarded.filter((route) => route.auth === 'admin-key')
    assert.deepEqual(
      admin.map((route) => route.path),
      routes.map((route) => route.path).filter((path) => path.startsWith('/api/admin/')),
    )
    for (const route of admin)
      for (const other of [...Object.values(keys), apiKey, narrow, key])
        assert.equal(
          problemIn(await running.request(route.method, pathOf(route), { key: other })).error,
          'insufficient_scope',
        )
  })

  it('of the agent interface takes a key with one of its scopes', async () => {
    const reviewer = (await running.auth.issueKey({ type: 'REVIEWER', scopes: ['transactions:approve:own'] })).apiKey
    for (const route of guarded.filter(({ auth }) => auth === 'api-key')) {
      const key = route.scopes.includes('transactions:approve:own') ? running.agentKey : reviewer
      const answer = await running.request(route.method, pathOf(route), { key })
      assert.equal(problemIn(answer).error, 'insufficient_scope')
    }
  })

  it('of a signed-in user takes a key of one, with one of its scopes', async () => {
    const user = (await running.storage.stores.users.of(WALLET, null)).id
    const issue = async (type: 'USER' | 'AGENT' | 'REVIEWER', more: object) =>
      (await running.auth.issueKey({ type, ...more })).apiKey
    const foreign = [
      running.agentKey,
      running.partner.apiKey,
      ADMIN_KEY,
      await issue('REVIEWER', {}),
      await issue('USER', {}),
    ]
    const theirs = guarded.filter(({ auth }) => auth === 'user')
    assert.ok(theirs.length >= 4)
    for (const route of theirs) {
      const { scopes } = await running.auth.authenticate(await issue('USER', { userId: user }))
      const lacking = scopes.filter((scope) => !route.scopes.includes(scope))
      const narrow = await issue('USER', { userId: user, scopes: lacking })
      for (const key of [...foreign, narrow]) {
        const answer = await running.request(route.method, pathOf(route), { key })
        if (route.path.startsWith('/api/wallets/') && key !== narrow)
          assert.ok([403, 404].includes(answer.status) || answer.status === 400)
        else assert.equal(problemIn(answer).error, 'insufficient_scope', `${nameOf(route)} ${key.slice(0, 8)}`)
      }
    }
  })
})

const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** What is served beside the routes: it speaks HTML, OAuth or MCP. */
const DOORS: Readonly<Record<string, number>> = {
  'GET /api/.well-known/oauth-authorization-server': 200,
  'GET /.well-known/oauth-authorization-server/api': 200,
  'GET /api/.well-known/oauth-protected-resource': 200,
  'GET /.well-known/oauth-protected-resource/api/mcp': 200,
  'GET /api/.well-known/oauth-protected-resource/mcp': 200,
  'GET /api/auth/sign-in': 200,
  'GET /api/auth/connect': 200,
  'GET /api/pages/page.css': 200,
  'GET /api/oauth/jwks': 200,
  'GET /api/oauth/authorize': 400,
  'GET /api/oauth/consent/x': 200,
  'GET /api/oauth/authorize/x': 400,
  'GET /api/oauth/consent/x/request': 410,
  'POST /api/oauth/consent/x/message': 400,
  'POST /api/oauth/consent/x/approve': 400,
  'POST /api/oauth/consent/x/decline': 410,
  'POST /api/oauth/token': 400,
  'POST /api/oauth/register': 400,
  'POST /api/oauth/revoke': 400,
  'GET /api/mcp': 401,
  'POST /api/mcp': 401,
  'PUT /api/mcp': 401,
  'PATCH /api/mcp': 401,
  'DELETE /api/mcp': 401,
  'GET /console': 200,
  'GET /console/chat': 200,
  'GET /console/chat/events': 401,
  'POST /console/chat/messages': 401,
  'GET /console/sign-in': 200,
  'GET /console/session': 200,
  'POST /console/session': 400,
  'DELETE /console/session': 204,
  'POST /console/session/message': 400,
}

describe('every door beside the routes', () => {
  for (const [door, status] of Object.entries(DOORS))
    it(`${door} answers ${status} without credentials`, async () => {
      const [method = '', path = ''] = door.split(' ')
      assert.equal((await running.request(method, path)).status, status)
    })

  it('is in this list, or is a file of a page', () => {
    const known = new Set([...routes.map(nameOf), ...Object.keys(DOORS)])
    const isFile = (path: string) => /^\/(api\/pages|console\/(pages|chat))\/[a-z-]+\.(js|css|svg)$/.test(path)
    const doors = added.flatMap(({ path, methods }) =>
      methods.map((method) => ({ path, method: method.toUpperCase(), asked: path.replace(':uid', 'x') })),
    )
    const forgotten = doors
      .filter(({ path, method }) => VERBS.includes(method) && !isFile(path))
      .filter(({ path, method, asked }) => !known.has(`${method} ${path}`) && !known.has(`${method} ${asked}`))
    assert.deepEqual(forgotten, [])
  })
})
