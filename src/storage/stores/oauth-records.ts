import type { Database } from '../database.ts'
import type { Json } from '../json.ts'

/** Which record: its kind, and the digest of the text that names it. */
export type OauthRecordKey = Readonly<{ model: string; id: string }>

/** A record of the authorization server: a client, a code, a token, a grant, a browser's session. */
export type OauthRecord = Readonly<{ payload: Json; consumedAt: number | null }>

/** A record to keep. Without `ttlMs` it has no end. */
export type NewOauthRecord = OauthRecordKey &
  Readonly<{ payload: Json; grantId: string | null; uid: string | null; ttlMs: number | null }>

const COLUMNS = ['payload', 'consumed_at as consumedAt'] as const

/** What the authorization server keeps. */
export function oauthRecords({ query, dialect }: Database) {
  const living = (model: string) =>
    query
      .selectFrom('oauth_records')
      .select(COLUMNS)
      .where('model', '=', model)
      .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', dialect.now)]))
  return {
    /** Keeps a record in the place of the one before. */
    async put({ model, id, payload, grantId, uid, ttlMs }: NewOauthRecord): Promise<void> {
      await query
        .insertInto('oauth_records')
        .values((e) => ({
          model,
          id,
          payload: JSON.stringify(payload),
          grant_id: grantId,
          uid,
          expires_at: ttlMs === null ? null : e(dialect.now, '+', ttlMs),
        }))
        .onConflict((on) =>
          on.columns(['model', 'id']).doUpdateSet((e) => ({
            payload: e.ref('excluded.payload'),
            grant_id: e.ref('excluded.grant_id'),
            uid: e.ref('excluded.uid'),
            expires_at: e.ref('excluded.expires_at'),
          })),
        )
        .execute()
    },

    async find({ model, id }: OauthRecordKey): Promise<OauthRecord | undefined> {
      const row = await living(model).where('id', '=', id).executeTakeFirst()
      return row && toRecord(row)
    },

    async findByUid(model: string, uid: string): Promise<OauthRecord | undefined> {
      const row = await living(model).where('uid', '=', uid).executeTakeFirst()
      return row && toRecord(row)
    },

    /** Whether this call consumed it: of several at once, one does. */
    async consume({ model, id }: OauthRecordKey): Promise<boolean> {
      const consumed = await query
        .updateTable('oauth_records')
        .set({ consumed_at: dialect.now })
        .where('model', '=', model)
        .where('id', '=', id)
        .where('consumed_at', 'is', null)
        .returning('id')
        .executeTakeFirst()
      return consumed !== undefined
    },

    async remove({ model, id }: OauthRecordKey): Promise<void> {
      await query.deleteFrom('oauth_records').where('model', '=', model).where('id', '=', id).execute()
    },

    /** Removes all that hangs on a grant: codes and tokens. */
    async removeGrant(grantId: string): Promise<void> {
      await query.deleteFrom('oauth_records').where('grant_id', '=', grantId).execute()
    },

    /** Forgets what ended before a moment. */
    async forget(before: number): Promise<void> {
      await query.deleteFrom('oauth_records').where('expires_at', '<', before).execute()
    },
  } as const
}

function toRecord({ payload, consumedAt }: Readonly<{ payload: string; consumedAt: number | null }>): OauthRecord {
  return { payload: JSON.parse(payload) as Json, consumedAt }
}
