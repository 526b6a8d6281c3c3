import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/** Leases of undecided submissions, rows to lock by name, and the counts that metrics are made of. */
export const scale = (_: Dialect) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('transactions').addColumn('lease_until', 'bigint').execute()
    await sql`update transactions set lease_until = created_at where status = 'PENDING'
      and not exists (select 1 from verdicts where verdicts.request_hash = transactions.request_hash)`.execute(db)
    await db.schema.createIndex('holds_by_window').on('holds').columns(['wallet', 'state', 'posted_at']).execute()
    await db.schema.createIndex('transactions_by_lease').on('transactions').column('lease_until').execute()
    await db.schema
      .createTable('locks')
      .addColumn('name', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('locks_key', ['name'])
      .execute()
    await db.schema
      .createTable('activity')
      .addColumn('agent_id', 'text', (column) => column.notNull())
      .addColumn('hour', 'bigint', (column) => column.notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('count', 'bigint', (column) => column.notNull())
      .addColumn('micro_usd', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('activity_key', ['agent_id', 'hour', 'kind', 'name'])
      .execute()
    await db.schema
      .createTable('rollups')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('through', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('rollups_key', ['name'])
      .execute()
  },
})
