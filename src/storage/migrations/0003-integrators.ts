import type { CreateTableBuilder, Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'

type Columns = readonly Readonly<[name: string, type: 'text' | 'bigint', nullable?: 'nullable']>[]

/** Integrators with their wallets and keys, idempotency keys, and the admissions of the rate limits. */
export const integrators = ({ serial }: Dialect) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    const table = (name: string) => db.schema.createTable(name)
    await columns(table('integrators').addColumn('seq', serial), INTEGRATORS)
      .addUniqueConstraint('integrators_app', ['app_id'])
      .addUniqueConstraint('integrators_agent', ['agent_id'])
      .addForeignKeyConstraint('integrators_agent_known', ['agent_id'], 'agents', ['id'])
      .execute()
    await columns(table('integrator_wallets'), INTEGRATOR_WALLETS)
      .addPrimaryKeyConstraint('integrator_wallets_key', ['app_id', 'address', 'chain_id'])
      .addForeignKeyConstraint('integrator_wallets_app', ['app_id'], 'integrators', ['app_id'])
      .addForeignKeyConstraint('integrator_wallets_wallet', ['address'], 'wallets', ['address'])
      .execute()
    await columns(table('idempotency_keys'), IDEMPOTENCY_KEYS)
      .addPrimaryKeyConstraint('idempotency_keys_key', ['app_id', 'operation', 'key'])
      .addForeignKeyConstraint('idempotency_keys_app', ['app_id'], 'integrators', ['app_id'])
      .execute()
    await columns(table('rate_limits'), RATE_LIMITS)
      .addPrimaryKeyConstraint('rate_limits_key', ['bucket', 'slot'])
      .execute()
    await db.schema.alterTable('api_keys').addColumn('app_id', 'text').execute()
    await db.schema.createIndex('idempotency_keys_by_age').on('idempotency_keys').column('created_at').execute()
    await db.schema.createIndex('rate_limits_by_age').on('rate_limits').column('at').execute()
  },
})

function columns(table: CreateTableBuilder<string>, list: Columns): CreateTableBuilder<string, string> {
  return list.reduce<CreateTableBuilder<string, string>>(
    (built, [name, type, nullable]) => built.addColumn(name, type, (column) => (nullable ? column : column.notNull())),
    table,
  )
}

const INTEGRATORS: Columns = [
  ['app_id', 'text'],
  ['name', 'text'],
  ['agent_id', 'text'],
  ['created_at', 'bigint'],
]
const INTEGRATOR_WALLETS: Columns = [
  ['app_id', 'text'],
  ['address', 'text'],
  ['chain_id', 'bigint'],
]
const IDEMPOTENCY_KEYS: Columns = [
  ['app_id', 'text'],
  ['operation', 'text'],
  ['key', 'text'],
  ['body_digest', 'text'],
  ['request_hash', 'text'],
  ['answer', 'text', 'nullable'],
  ['created_at', 'bigint'],
]
const RATE_LIMITS: Columns = [
  ['bucket', 'text'],
  ['slot', 'bigint'],
  ['at', 'bigint'],
]
