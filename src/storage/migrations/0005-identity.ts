import type { CreateTableBuilder, Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'

type Columns = readonly Readonly<[name: string, type: 'text' | 'bigint', nullable?: 'nullable']>[]

/** Users, their sign-ins and sessions, connection codes, OAuth records, and the keys that sign tokens. */
export const identity = (_: Dialect) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    const table = (name: string, columns: Columns) => withColumns(db.schema.createTable(name), columns)
    await table('users', USERS)
      .addPrimaryKeyConstraint('users_key', ['id'])
      .addUniqueConstraint('users_wallet', ['address', 'chain_id'])
      .execute()
    await table('sign_in_nonces', NONCES).addPrimaryKeyConstraint('sign_in_nonces_key', ['nonce']).execute()
    await table('sessions', SESSIONS)
      .addPrimaryKeyConstraint('sessions_key', ['id'])
      .addForeignKeyConstraint('sessions_user', ['user_id'], 'users', ['id'])
      .execute()
    await table('refresh_tokens', REFRESH_TOKENS).addPrimaryKeyConstraint('refresh_tokens_key', ['digest']).execute()
    await table('connections', CONNECTIONS)
      .addPrimaryKeyConstraint('connections_key', ['digest'])
      .addUniqueConstraint('connections_request', ['request_id'])
      .execute()
    await table('oauth_records', OAUTH_RECORDS).addPrimaryKeyConstraint('oauth_records_key', ['model', 'id']).execute()
    await table('token_keys', TOKEN_KEYS).addPrimaryKeyConstraint('token_keys_key', ['id']).execute()
    await db.schema.alterTable('api_keys').addColumn('user_id', 'text').execute()
    for (const [name, on, column] of INDEXES) await db.schema.createIndex(name).on(on).column(column).execute()
  },
})

function withColumns(table: CreateTableBuilder<string>, list: Columns): CreateTableBuilder<string, string> {
  return list.reduce<CreateTableBuilder<string, string>>(
    (built, [name, type, nullable]) => built.addColumn(name, type, (column) => (nullable ? column : column.notNull())),
    table,
  )
}

const INDEXES = [
  ['api_keys_by_user', 'api_keys', 'user_id'],
  ['sign_in_nonces_by_end', 'sign_in_nonces', 'expires_at'],
  ['sessions_by_end', 'sessions', 'expires_at'],
  ['refresh_tokens_by_session', 'refresh_tokens', 'session_id'],
  ['refresh_tokens_by_end', 'refresh_tokens', 'expires_at'],
  ['connections_by_end', 'connections', 'expires_at'],
  ['oauth_records_by_grant', 'oauth_records', 'grant_id'],
  ['oauth_records_by_uid', 'oauth_records', 'uid'],
  ['oauth_records_by_end', 'oauth_records', 'expires_at'],
] as const

const USERS: Columns = [
  ['id', 'text'],
  ['address', 'text'],
  ['chain_id', 'bigint'],
  ['created_at', 'bigint'],
]
const NONCES: Columns = [
  ['nonce', 'text'],
  ['purpose', 'text'],
  ['wallet', 'text', 'nullable'],
  ['created_at', 'bigint'],
  ['expires_at', 'bigint'],
  ['used_at', 'bigint', 'nullable'],
]
const SESSIONS: Columns = [
  ['id', 'text'],
  ['user_id', 'text'],
  ['created_at', 'bigint'],
  ['expires_at', 'bigint'],
  ['revoked_at', 'bigint', 'nullable'],
]
const REFRESH_TOKENS: Columns = [
  ['digest', 'text'],
  ['session_id', 'text'],
  ['created_at', 'bigint'],
  ['expires_at', 'bigint'],
  ['used_at', 'bigint', 'nullable'],
]
const CONNECTIONS: Columns = [
  ['digest', 'text'],
  ['request_id', 'text'],
  ['client_name', 'text', 'nullable'],
  ['scopes', 'text'],
  ['user_id', 'text', 'nullable'],
  ['created_at', 'bigint'],
  ['expires_at', 'bigint'],
  ['decided_at', 'bigint', 'nullable'],
  ['delivered_at', 'bigint', 'nullable'],
]
const OAUTH_RECORDS: Columns = [
  ['model', 'text'],
  ['id', 'text'],
  ['payload', 'text'],
  ['grant_id', 'text', 'nullable'],
  ['uid', 'text', 'nullable'],
  ['expires_at', 'bigint', 'nullable'],
  ['consumed_at', 'bigint', 'nullable'],
]
const TOKEN_KEYS: Columns = [
  ['id', 'text'],
  ['jwk', 'text'],
  ['created_at', 'bigint'],
]
