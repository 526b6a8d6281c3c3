import { CountersignError } from '../lib/errors.ts'
import { DEFAULT_PAGE_SIZE, type PageQuery } from '../schema/page.ts'
import type { NewUserApiKey, UserApiKey, UserApiKeyRecord } from '../schema/user.ts'
import type { ApiKey, Page, Storage } from '../storage/index.ts'
import type { Auth } from './auth.ts'
import type { Principal } from './principal.ts'
import { SCOPES_OF } from './scopes.ts'
import type { User } from './user.ts'

/** API keys that a signed-in user makes for their programs (contract section 8). */
export type UserKeys = Readonly<{
  /** @throws CountersignError `invalid_request`, `insufficient_scope` */
  issue(request: NewUserApiKey, issuer: Principal): Promise<UserApiKey>
  /** Newest first, without their text. */
  list(principal: Principal, page: PageQuery): Promise<Page<UserApiKeyRecord>>
  /** @throws CountersignError `not_found` where the user has no such key, or it was revoked before */
  revoke(id: string, principal: Principal): Promise<void>
}>

/** Without asking for more, a key cannot make others. */
const USUAL = SCOPES_OF.USER.filter((scope) => scope !== 'keys:write:own')

/** Builds the keys of users. */
export function createUserKeys({ storage, auth }: Readonly<{ storage: Storage; auth: Auth }>): UserKeys {
  return {
    async issue({ name, scopes = USUAL, expiresAt }, issuer) {
      const { id: userId } = userBehind(issuer)
      const request = { type: 'USER', userId, scopes, ...(name && { name }), ...(expiresAt && { expiresAt }) } as const
      const key = await auth.issueKey(request, issuer)
      const createdAt = new Date(await storage.now()).toISOString()
      return { ...key, type: 'USER', name: name ?? null, createdAt }
    },

    async list(principal, { limit = DEFAULT_PAGE_SIZE, cursor }) {
      const { id: userId } = userBehind(principal)
      const { items, nextCursor } = await storage.stores.apiKeys.list({ limit, cursor, userId })
      return { items: items.map(recordOf), nextCursor }
    },

    revoke: (id, principal) =>
      storage.transaction(async (stores) => {
        if (!(await stores.apiKeys.revoke(id, userBehind(principal).id)))
          throw new CountersignError('not_found', 'You have no such key, or it was revoked before.')
        await stores.audit.append({ kind: 'key_revoked', subject: id, payload: { by: principal.keyId } })
      }),
  }
}

function userBehind({ user }: Principal): User {
  if (user === undefined) throw new CountersignError('insufficient_scope', 'This key belongs to no signed-in user.')
  return user
}

function recordOf({ id, name, scopes, prefix, createdAt, expiresAt, lastUsedAt, revokedAt }: ApiKey): UserApiKeyRecord {
  const moment = (at: number | null) => (at === null ? null : new Date(at).toISOString())
  return {
    id,
    name,
    type: 'USER',
    scopes,
    prefix,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: moment(expiresAt),
    lastUsedAt: moment(lastUsedAt),
    revokedAt: moment(revokedAt),
  }
}
