import type { KeyType } from '../../schema/api-key.ts'
import type { Scope } from '../../schema/scope.ts'
import type { Database } from '../database.ts'
import { type Page, type PageRequest, pageOf, startOf } from '../page.ts'

/** A key as it is known after it was shown: never the key itself, nor its digest. */
export type ApiKey = Readonly<{
  id: string
  type: KeyType
  prefix: string
  /** The agent that an AGENT key speaks for. */
  agentId: string | null
  /** The integrator that an INTEGRATION key speaks for. */
  appId: string | null
  /** The signed-in user that a USER key acts for. */
  userId: string | null
  name: string | null
  scopes: readonly Scope[]
  createdAt: number
  expiresAt: number | null
  /** To the minute. */
  lastUsedAt: number | null
  revokedAt: number | null
}>

/** A key to keep. `digest` is the SHA-256 of the key. */
export type NewApiKey = Pick<ApiKey, 'type' | 'prefix' | 'agentId' | 'name' | 'scopes' | 'expiresAt'> &
  Readonly<{ digest: string; userId?: string | null; appId?: string | null }>

const COLUMNS = [
  'id',
  'type',
  'prefix',
  'agent_id as agentId',
  'app_id as appId',
  'user_id as userId',
  'name',
  'scopes',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'last_used_at as lastUsedAt',
  'revoked_at as revokedAt',
] as const

/** A key that is used all the time is not written all the time. */
const TOUCH_EVERY_MS = 60_000

/** API keys, by the digest of their text. */
export function apiKeys({ query, dialect }: Database) {
  return {
    /** @throws CountersignError conflict when the digest is known already, or the agent is unknown */
    async create(key: NewApiKey): Promise<ApiKey> {
      const row = await query
        .insertInto('api_keys')
        .values({
          id: crypto.randomUUID(),
          type: key.type,
          digest: key.digest,
          prefix: key.prefix,
          agent_id: key.agentId,
          app_id: key.appId ?? null,
          user_id: key.userId ?? null,
          name: key.name,
          scopes: JSON.stringify(key.scopes),
          created_at: dialect.now,
          expires_at: key.expiresAt,
        })
        .returning(COLUMNS)
        .executeTakeFirstOrThrow()
      return toKey(row)
    },

    /** The key that works now: neither revoked nor expired. */
    async byDigest(digest: string): Promise<ApiKey | undefined> {
      const row = await query
        .selectFrom('api_keys')
        .select(COLUMNS)
        .where('digest', '=', digest)
        .where('revoked_at', 'is', null)
        .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', dialect.now)]))
        .executeTakeFirst()
      return row && toKey(row)
    },

    /** Whether there was a key to revoke, of the user where one is named. It stops working at once. */
    async revoke(id: string, userId?: string): Promise<boolean> {
      const revoked = await query
        .updateTable('api_keys')
        .set({ revoked_at: dialect.now })
        .where('id', '=', id)
        .$if(userId !== undefined, (update) => update.where('user_id', '=', userId ?? ''))
        .where('revoked_at', 'is', null)
        .returning('id')
        .executeTakeFirst()
      return revoked !== undefined
    },

    /** Notes that the key was used. */
    async touch(id: string): Promise<void> {
      await query
        .updateTable('api_keys')
        .set({ last_used_at: dialect.now })
        .where('id', '=', id)
        .where((e) =>
          e.or([e('last_used_at', 'is', null), e('last_used_at', '<', e(dialect.now, '-', e.lit(TOUCH_EVERY_MS)))]),
        )
        .execute()
    },

    /** Newest first, those that no longer work too; of one user where one is named. */
    async list(page: PageRequest & Readonly<{ userId?: string }>): Promise<Page<ApiKey>> {
      const { userId } = page
      const rows = await query
        .selectFrom('api_keys')
        .select([...COLUMNS, 'seq'])
        .$if(userId !== undefined, (select) => select.where('user_id', '=', userId ?? ''))
        .where('seq', '<', startOf(page))
        .orderBy('seq', 'desc')
        .limit(page.limit + 1)
        .execute()
      return pageOf(rows, page, ({ seq: _, ...row }) => toKey(row))
    },
  } as const
}

function toKey(row: Omit<ApiKey, 'scopes'> & Readonly<{ scopes: string }>): ApiKey {
  return { ...row, scopes: JSON.parse(row.scopes) as Scope[] }
}
