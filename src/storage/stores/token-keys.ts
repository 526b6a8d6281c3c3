import type { Database } from '../database.ts'
import type { Json } from '../json.ts'

/** A key that signs tokens, as a private JWK. */
export type TokenKey = Readonly<{ id: string; jwk: Json; createdAt: number }>

const COLUMNS = ['id', 'jwk', 'created_at as createdAt'] as const

/** The keys that sign tokens and browser cookies: the newest signs, the others still verify. */
export function tokenKeys({ query, dialect, atomically }: Database) {
  const newestFirst = (from: Database['query']) =>
    from.selectFrom('token_keys').select(COLUMNS).orderBy('created_at', 'desc').orderBy('id')
  return {
    /** Newest first. */
    async list(): Promise<readonly TokenKey[]> {
      return (await newestFirst(query).execute()).map(toKey)
    },

    /** Adds a key where the newest is older than `afterMs`, and removes those older than `keptMs`. */
    async rotate(next: Omit<TokenKey, 'createdAt'>, afterMs: number, keptMs: number): Promise<void> {
      await atomically(async (inner) => {
        await dialect.lock(inner.query, 'token keys')
        const newest = await newestFirst(inner.query).limit(1).executeTakeFirst()
        const now = await inner.now()
        if (newest !== undefined && newest.createdAt > now - afterMs) return
        await inner.query
          .insertInto('token_keys')
          .values({ id: next.id, jwk: JSON.stringify(next.jwk), created_at: now })
          .execute()
        await inner.query
          .deleteFrom('token_keys')
          .where('created_at', '<', now - keptMs)
          .execute()
      })
    },
  } as const
}

function toKey({ jwk, ...row }: Omit<TokenKey, 'jwk'> & Readonly<{ jwk: string }>): TokenKey {
  return { ...row, jwk: JSON.parse(jwk) as Json }
}
