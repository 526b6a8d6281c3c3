import type { Database } from '../database.ts'

/** A refresh token to keep by its SHA-256 digest, until a moment. */
export type NewRefreshToken = Readonly<{ digest: string; sessionId: string; ttlMs: number }>

/** Sessions of signed-in users: each is a family of refresh tokens, of which one is good at a time. */
export function sessions(database: Database) {
  const { query, dialect, atomically } = database
  return {
    /** Opens a session of at most `ttlMs`. */
    async open(userId: string, ttlMs: number): Promise<string> {
      const row = await query
        .insertInto('sessions')
        .values((e) => ({
          id: crypto.randomUUID(),
          user_id: userId,
          created_at: dialect.now,
          expires_at: e(dialect.now, '+', e.lit(ttlMs)),
        }))
        .returning('id')
        .executeTakeFirstOrThrow()
      return row.id
    },

    /** The user of a session that is neither revoked nor over. */
    async userOf(id: string): Promise<string | undefined> {
      const row = await query
        .selectFrom('sessions')
        .select('user_id')
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', dialect.now)
        .executeTakeFirst()
      return row?.user_id
    },

    async addRefreshToken({ digest, sessionId, ttlMs }: NewRefreshToken): Promise<void> {
      await query
        .insertInto('refresh_tokens')
        .values((e) => ({
          digest,
          session_id: sessionId,
          created_at: dialect.now,
          expires_at: e(dialect.now, '+', e.lit(ttlMs)),
        }))
        .execute()
    },

    /**
     * Uses a refresh token, and gives its session: of several at once, one does. A token that was used before is in
     * the hands of two: its session is revoked.
     */
    async useRefreshToken(digest: string): Promise<string | undefined> {
      const used = await query
        .updateTable('refresh_tokens')
        .set({ used_at: dialect.now })
        .where('digest', '=', digest)
        .where('used_at', 'is', null)
        .where('expires_at', '>', dialect.now)
        .returning('session_id as sessionId')
        .executeTakeFirst()
      if (used !== undefined) return used.sessionId
      const replayed = await query
        .selectFrom('refresh_tokens')
        .select('session_id as sessionId')
        .where('digest', '=', digest)
        .where('used_at', 'is not', null)
        .executeTakeFirst()
      if (replayed !== undefined) await revoke(database, replayed.sessionId)
      return undefined
    },

    /** Session of a refresh token, used or not. */
    async ofRefreshToken(digest: string): Promise<string | undefined> {
      const row = await query
        .selectFrom('refresh_tokens')
        .select('session_id as sessionId')
        .where('digest', '=', digest)
        .executeTakeFirst()
      return row?.sessionId
    },

    /** Whether there was a session to revoke: its tokens are worthless at once. */
    revoke: (id: string) => revoke(database, id),

    /** Forgets what ended before a moment. */
    async forget(before: number): Promise<void> {
      await atomically(async (inner) => {
        await inner.query.deleteFrom('refresh_tokens').where('expires_at', '<', before).execute()
        await inner.query.deleteFrom('sessions').where('expires_at', '<', before).execute()
      })
    },
  } as const
}

async function revoke({ query, dialect }: Database, id: string): Promise<boolean> {
  const revoked = await query
    .updateTable('sessions')
    .set({ revoked_at: dialect.now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return revoked !== undefined
}
