import { timingSafeEqual } from 'node:crypto'
import { sharing } from '../lib/batching.ts'
import { CountersignError } from '../lib/errors.ts'
import { sha256 } from '../lib/hash.ts'
import { holds } from '../lib/scopes.ts'
import type { IssuedApiKey, NewApiKey } from '../schema/api-key.ts'
import type { Scope } from '../schema/scope.ts'
import type { ApiKey, NewApiKey as KeyDraft, Storage } from '../storage/index.ts'
import { isKeyText, newKeyText, prefixOf } from './api-key-text.ts'
import type { Principal } from './principal.ts'
import { SCOPES_OF } from './scopes.ts'
import { userOf } from './user.ts'

/**
 * A key to issue. `key` registers one that exists already, of 32 to 256 visible ASCII characters; `userId` is the
 * signed-in user that a USER key acts for.
 */
export type KeyRequest = NewApiKey & Readonly<{ key?: string; userId?: string }>

/** Who is asking, and with which keys. */
export type Auth = Readonly<{
  /**
   * Who holds a key. Asks the store each time, so that a revoked key is dead at once on every replica: requests that come
   * while it is asked share the next answer.
   *
   * @throws CountersignError `unauthenticated`, the same for unknown, revoked, expired and malformed keys
   */
  authenticate(apiKey: string | undefined): Promise<Principal>
  /**
   * Issues a key: the only moment that it can be read. `issuer` is who asks, and passes on no right it lacks; without
   * one it is the process itself. A given `key` that its agent already has is answered again.
   *
   * @throws CountersignError `invalid_request`, `insufficient_scope` or `conflict`
   */
  issueKey(request: KeyRequest, issuer?: Principal): Promise<IssuedApiKey>
  /**
   * Makes a key worthless, from this moment.
   *
   * @throws CountersignError `not_found` where there is no such key, or it was revoked before
   */
  revokeKey(id: string, by: string): Promise<void>
}>

/** Id of the key that `SERVICE_ADMIN_KEY` is. */
const SERVICE_ADMIN = 'service-admin'

/** Who issues the keys that the process registers for itself. */
const START_UP = 'start-up'

// The time of last use is for people: it is written once a minute, not with every request.
const TOUCH_EVERY_MS = 60_000

/** Builds the authentication over a store. `adminKey` is `SERVICE_ADMIN_KEY`: an ADMIN key that always works. */
export function createAuth({ storage, adminKey }: Readonly<{ storage: Storage; adminKey: string | undefined }>): Auth {
  const { apiKeys, agents, integrators, users } = storage.stores
  const keyOf = sharing(apiKeys.byDigest)
  const adminDigest = isKeyText(adminKey) ? sha256(adminKey) : undefined
  return {
    async authenticate(apiKey) {
      if (!isKeyText(apiKey)) throw unauthenticated()
      const digest = sha256(apiKey)
      if (adminDigest !== undefined && timingSafeEqual(Buffer.from(digest), Buffer.from(adminDigest)))
        return { keyId: SERVICE_ADMIN, type: 'ADMIN', agentId: null, scopes: SCOPES_OF.ADMIN }
      const key = await keyOf(digest)
      if (key === undefined) throw unauthenticated()
      if (Date.now() - (key.lastUsedAt ?? 0) > TOUCH_EVERY_MS) await apiKeys.touch(key.id)
      const { id, type, agentId, appId, userId, scopes } = key
      const user = userId === null ? undefined : await users.get(userId)
      return { keyId: id, type, agentId, ...(appId !== null && { appId }), ...(user && { user: userOf(user) }), scopes }
    },

    async issueKey(request, issuer) {
      const { type, name = null, appId = null, userId = null } = request
      const scopes = scopesFor(request, issuer)
      const expiresAt = expiryOf(request, await storage.now())
      const integrator = appId === null ? undefined : await integrators.get(appId)
      await checkHolder(request, async (id) => (await agents.get(id)) !== undefined)
      if ((type === 'INTEGRATION') !== (integrator !== undefined))
        throw wrong('appId', 'names an existing integrator for keys of type INTEGRATION, and is absent for others')
      const agentId = integrator?.agentId ?? request.agentId ?? null
      const apiKey = textOf(request)
      const digest = sha256(apiKey)
      const present = await apiKeys.byDigest(digest)
      if (present !== undefined && (present.type !== type || present.agentId !== agentId))
        throw new CountersignError('conflict', 'This key belongs to somebody else.')
      const draft = { type, digest, prefix: prefixOf(apiKey), agentId, appId, userId, name, scopes, expiresAt }
      return issued(present ?? (await create(storage, draft, issuer?.keyId ?? START_UP)), apiKey)
    },

    revokeKey: (id, by) =>
      storage.transaction(async (stores) => {
        if (!(await stores.apiKeys.revoke(id)))
          throw new CountersignError('not_found', 'There is no such key, or it was revoked before.')
        await stores.audit.append({ kind: 'key_revoked', subject: id, payload: { by } })
      }),
  }
}

function create(storage: Storage, draft: KeyDraft, by: string): Promise<ApiKey> {
  return storage.transaction(async (stores) => {
    const key = await stores.apiKeys.create(draft)
    const { id, type, agentId, prefix, scopes, expiresAt } = key
    await stores.audit.append({
      kind: 'key_issued',
      subject: id,
      payload: { type, agentId, prefix, scopes, expiresAt, by },
    })
    return key
  })
}

function issued({ id, type, scopes, prefix, expiresAt }: ApiKey, apiKey: string): IssuedApiKey {
  return { id, apiKey, type, scopes, prefix, expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString() }
}

function expiryOf({ expiresAt }: KeyRequest, now: number): number | null {
  if (expiresAt === undefined) return null
  const at = Date.parse(expiresAt)
  if (at <= now) throw wrong('expiresAt', 'must lie in the future')
  return at
}

function textOf({ type, key }: KeyRequest): string {
  if (key === undefined) return newKeyText(type)
  if (!isKeyText(key)) throw wrong('key', 'must be 32 to 256 visible ASCII characters')
  return key
}

/** The scopes asked for, or all of the type: none beyond the type's, none that the issuer lacks. */
function scopesFor({ type, scopes = SCOPES_OF[type] }: KeyRequest, issuer: Principal | undefined): readonly Scope[] {
  const beyond = scopes.findIndex((scope) => !holds(SCOPES_OF[type], [scope]))
  if (beyond !== -1)
    throw wrong(`scopes.${beyond}`, `a key of type ${type} can have at most ${SCOPES_OF[type].join(', ')}`)
  const missing = issuer === undefined ? undefined : scopes.find((scope) => !holds(issuer.scopes, [scope]))
  if (missing !== undefined)
    throw new CountersignError('insufficient_scope', `Your own key lacks the scope ${missing}, so it cannot give it.`)
  return [...new Set(scopes)]
}

async function checkHolder({ type, agentId }: KeyRequest, exists: (id: string) => Promise<boolean>): Promise<void> {
  if (type !== 'AGENT') {
    if (agentId !== undefined) throw wrong('agentId', 'is for keys of type AGENT only')
    return
  }
  if (agentId === undefined) throw wrong('agentId', 'is required: a key of type AGENT names its agent')
  if (!(await exists(agentId))) throw wrong('agentId', 'no agent has this id')
}

function unauthenticated(): CountersignError {
  return new CountersignError('unauthenticated', 'A valid API key is needed in the header x-api-key.')
}

function wrong(path: string, message: string): CountersignError {
  return new CountersignError('invalid_request', `${path}: ${message}`, { fields: [{ path, message }] })
}
