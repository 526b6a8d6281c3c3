import type { Scope } from '../../schema/scope.ts'
import type { Database } from '../database.ts'

/** A request for a key that a person approves in a browser (specification 2.11). The code itself is not kept. */
export type Connection = Readonly<{
  /** Names the request in the address that the person visits. Nobody can poll with it. */
  requestId: string
  clientName: string | null
  scopes: readonly Scope[]
  /** Who approved it; null while nobody has, and where it was declined. */
  userId: string | null
  createdAt: number
  expiresAt: number
  decidedAt: number | null
  deliveredAt: number | null
}>

/** A request to keep for `ttlMs`. `digest` is the SHA-256 of the code. */
export type NewConnection = Pick<Connection, 'requestId' | 'clientName' | 'scopes'> &
  Readonly<{ digest: string; ttlMs: number }>

const COLUMNS = [
  'request_id as requestId',
  'client_name as clientName',
  'scopes',
  'user_id as userId',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'decided_at as decidedAt',
  'delivered_at as deliveredAt',
] as const

/** Connection codes, by the digest of their text. */
export function connections({ query, dialect }: Database) {
  return {
    async create({ digest, requestId, clientName, scopes, ttlMs }: NewConnection): Promise<Connection> {
      const row = await query
        .insertInto('connections')
        .values((e) => ({
          digest,
          request_id: requestId,
          client_name: clientName,
          scopes: JSON.stringify(scopes),
          created_at: dialect.now,
          expires_at: e(dialect.now, '+', e.lit(ttlMs)),
        }))
        .returning(COLUMNS)
        .executeTakeFirstOrThrow()
      return toConnection(row)
    },

    async byDigest(digest: string): Promise<Connection | undefined> {
      const row = await query.selectFrom('connections').select(COLUMNS).where('digest', '=', digest).executeTakeFirst()
      return row && toConnection(row)
    },

    /** A request that waits for its decision. */
    async undecided(requestId: string): Promise<Connection | undefined> {
      const row = await query
        .selectFrom('connections')
        .select(COLUMNS)
        .where('request_id', '=', requestId)
        .where('decided_at', 'is', null)
        .where('expires_at', '>', dialect.now)
        .executeTakeFirst()
      return row && toConnection(row)
    },

    /** Whether this call decided it: approved by a user, or declined with null. Of several at once, one does. */
    async decide(requestId: string, userId: string | null): Promise<boolean> {
      const decided = await query
        .updateTable('connections')
        .set({ decided_at: dialect.now, user_id: userId })
        .where('request_id', '=', requestId)
        .where('decided_at', 'is', null)
        .where('expires_at', '>', dialect.now)
        .returning('request_id')
        .executeTakeFirst()
      return decided !== undefined
    },

    /** The connection, where this call is the one that delivers it: of any number at once, one is. */
    async deliver(digest: string): Promise<Connection | undefined> {
      const row = await query
        .updateTable('connections')
        .set({ delivered_at: dialect.now })
        .where('digest', '=', digest)
        .where('user_id', 'is not', null)
        .where('delivered_at', 'is', null)
        .where('expires_at', '>', dialect.now)
        .returning(COLUMNS)
        .executeTakeFirst()
      return row && toConnection(row)
    },

    /** Forgets what ended before a moment. */
    async forget(before: number): Promise<void> {
      await query.deleteFrom('connections').where('expires_at', '<', before).execute()
    },
  } as const
}

function toConnection(row: Omit<Connection, 'scopes'> & Readonly<{ scopes: string }>): Connection {
  return { ...row, scopes: JSON.parse(row.scopes) as Scope[] }
}
