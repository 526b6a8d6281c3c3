import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createAgents, createAuth, type Principal } from '../../src/auth/index.ts'
import { toAddress } from '../../src/lib/address.ts'
import type { ErrorCode } from '../../src/lib/errors.ts'
import { sha256 } from '../../src/lib/hash.ts'
import { PERMISSIONS, type Scope } from '../../src/schema/scope.ts'
import { openStorage } from '../../src/storage/index.ts'

const ADMIN_KEY = 'an-admin-key-of-the-environment-that-is-long'
const storage = await openStorage({ url: undefined })
after(() => storage.close())
const auth = createAuth({ storage, adminKey: ADMIN_KEY })
const agents = createAgents({ storage })

let count = 0
async function newAgent(): Promise<string> {
  count++
  const ethereumAddress = toAddress(`0x${count.toString(16).padStart(40, '0')}`)
  return (await agents.register({ name: `agent ${count}`, ethereumAddress }, 'test')).id
}

async function refused(
  work: Promise<unknown>,
  code: ErrorCode,
): Promise<Readonly<{ message: string; fields: unknown }>> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof Error && 'code' in error && 'fields' in error, `expected ${code}`)
  assert.equal(error.code, code)
  return { message: error.message, fields: error.fields }
}

describe('authentication', () => {
  it('knows an issued key, and what it may do', async () => {
    const agentId = await newAgent()
    const { id, apiKey, prefix, scopes, expiresAt } = await auth.issueKey({ type: 'AGENT', agentId })
    assert.match(apiKey, /^cs_agent_[A-Za-z0-9_-]{43}$/)
    assert.ok(apiKey.startsWith(prefix) && prefix.length === 'cs_agent_'.length + 6)
    assert.equal(expiresAt, null)
    assert.deepEqual(await auth.authenticate(apiKey), { keyId: id, type: 'AGENT', agentId, scopes })
  })

  it('refuses unknown, revoked, expired and malformed keys alike', async () => {
    const revoked = await auth.issueKey({ type: 'USER' })
    await auth.revokeKey(revoked.id, 'test')
    const expiresAt = new Date((await storage.now()) + 30).toISOString()
    const expired = await auth.issueKey({ type: 'USER', expiresAt })
    while ((await storage.now()) <= Date.parse(expiresAt)) await new Promise((resolve) => setTimeout(resolve, 5))
    const keys = [undefined, '', 'undefined', 'null', '[object Object]', 'cs_agent_', 'x'.repeat(1_000)]
    keys.push(`${ADMIN_KEY}x`, ADMIN_KEY.slice(0, -1), ADMIN_KEY.toUpperCase(), ` ${ADMIN_KEY}`)
    keys.push(`cs_agent_${'A'.repeat(43)}`, revoked.apiKey, expired.apiKey)
    keys.push(`${revoked.apiKey}\0`, sha256(revoked.apiKey), revoked.id)
    const answers = await Promise.all(keys.map((key) => refused(auth.authenticate(key), 'unauthenticated')))
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1)
  })

  it('lets a revoked key do nothing from the next request on, in another process too', async () => {
    const { id, apiKey } = await auth.issueKey({ type: 'USER' })
    const replica = createAuth({ storage, adminKey: undefined })
    assert.equal((await replica.authenticate(apiKey)).keyId, id)
    await auth.revokeKey(id, 'test')
    await refused(replica.authenticate(apiKey), 'unauthenticated')
    await refused(auth.revokeKey(id, 'test'), 'not_found')
  })

  it('knows the key of the environment, and none where there is none', async () => {
    assert.equal((await auth.authenticate(ADMIN_KEY)).type, 'ADMIN')
    for (const adminKey of [undefined, '', 'undefined', 'short'])
      for (const key of [ADMIN_KEY, '', 'undefined', 'short'])
        await refused(createAuth({ storage, adminKey }).authenticate(key), 'unauthenticated')
  })

  it('keeps no key as it is', async () => {
    const { apiKey } = await auth.issueKey({ type: 'REVIEWER' })
    const kept = [await storage.stores.apiKeys.list({ limit: 100 }), await storage.stores.audit.list({ limit: 100 })]
    assert.ok(JSON.stringify(kept).length > 100)
    assert.equal(JSON.stringify(kept).includes(apiKey), false)
  })

  it('notes when a key was used', async () => {
    const { id, apiKey } = await auth.issueKey({ type: 'USER' })
    const lastUse = async () =>
      (await storage.stores.apiKeys.list({ limit: 100 })).items.find((key) => key.id === id)?.lastUsedAt
    assert.equal(await lastUse(), null)
    await auth.authenticate(apiKey)
    assert.equal(typeof (await lastUse()), 'number')
  })
})

describe('issuing a key', () => {
  it('gives at most the scopes of the type', async () => {
    const agentId = await newAgent()
    const tooMuch = PERMISSIONS.flatMap((pair): Scope[] => [`${pair}:own`, `${pair}:any`]).filter(
      (scope) => !['verdicts:create:own', 'transactions:create:own'].includes(scope) && !scope.includes(':read:own'),
    )
    assert.ok(tooMuch.includes('policies:write:own') && tooMuch.includes('transactions:approve:own'))
    for (const scope of tooMuch) {
      const { fields } = await refused(auth.issueKey({ type: 'AGENT', agentId, scopes: [scope] }), 'invalid_request')
      assert.match(JSON.stringify(fields), /"path":"scopes.0"/)
    }
    const { scopes } = await auth.issueKey({ type: 'AGENT', agentId, scopes: ['verdicts:create:own'] })
    assert.deepEqual(scopes, ['verdicts:create:own'])
  })

  it('passes on no right that the issuer lacks', async () => {
    const { apiKey } = await auth.issueKey({ type: 'ADMIN', scopes: ['keys:write:any', 'policies:read:any'] })
    const issuer: Principal = await auth.authenticate(apiKey)
    await refused(auth.issueKey({ type: 'ADMIN' }, issuer), 'insufficient_scope')
    await refused(auth.issueKey({ type: 'REVIEWER' }, issuer), 'insufficient_scope')
    const { scopes } = await auth.issueKey({ type: 'USER', scopes: ['policies:read:own'] }, issuer)
    assert.deepEqual(scopes, ['policies:read:own'])
  })

  it('needs an agent that exists for an AGENT key, and none for others', async () => {
    await refused(auth.issueKey({ type: 'AGENT' }), 'invalid_request')
    await refused(auth.issueKey({ type: 'AGENT', agentId: 'nobody' }), 'invalid_request')
    await refused(auth.issueKey({ type: 'ADMIN', agentId: await newAgent() }), 'invalid_request')
  })

  it('refuses an end in the past', async () => {
    const expiresAt = new Date((await storage.now()) - 1_000).toISOString()
    await refused(auth.issueKey({ type: 'USER', expiresAt }), 'invalid_request')
  })

  it('registers a key that exists already, again for the same holder only', async () => {
    const [agentId, key] = [await newAgent(), 'a-key-that-was-made-somewhere-else-1']
    const first = await auth.issueKey({ type: 'AGENT', agentId, key })
    assert.equal(first.apiKey, key)
    assert.equal((await auth.issueKey({ type: 'AGENT', agentId, key })).id, first.id)
    await refused(auth.issueKey({ type: 'AGENT', agentId: await newAgent(), key }), 'conflict')
    await refused(auth.issueKey({ type: 'AGENT', agentId, key: 'undefined' }), 'invalid_request')
  })

  it('and revoking one are in the audit log, with who did it', async () => {
    const { id } = await auth.issueKey({ type: 'USER' })
    await auth.revokeKey(id, 'the-owner')
    const { items } = await storage.stores.audit.list({ limit: 2 })
    assert.deepEqual(
      items.map(({ kind, subject }) => [kind, subject]),
      [
        ['key_revoked', id],
        ['key_issued', id],
      ],
    )
    assert.deepEqual(items[0]?.payload, { by: 'the-owner' })
    assert.equal(await storage.stores.audit.verify(), null)
  })
})
