import { type Kysely, sql } from 'kysely'

/** Signed actions of venues that take no transactions, and their orders until the venue says how each ended. */
export const venueOrders = () => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('venue_actions')
      .addColumn('request_hash', 'text', (column) => column.notNull())
      .addColumn('venue', 'text', (column) => column.notNull())
      .addColumn('signer', 'text', (column) => column.notNull())
      .addColumn('nonce', 'bigint', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('venue_actions_key', ['request_hash'])
      .addUniqueConstraint('venue_actions_nonce', ['venue', 'signer', 'nonce'])
      .addForeignKeyConstraint('venue_actions_transaction', ['request_hash'], 'transactions', ['request_hash'])
      .execute()
    await db.schema
      .createTable('venue_orders')
      .addColumn('request_hash', 'text', (column) => column.notNull())
      .addColumn('leg', 'bigint', (column) => column.notNull())
      .addColumn('venue', 'text', (column) => column.notNull())
      .addColumn('account', 'text', (column) => column.notNull())
      .addColumn('key', 'text', (column) => column.notNull())
      .addColumn('placeable_until', 'bigint', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('filled', 'smallint', (column) => column.notNull())
      .addColumn('said', 'text')
      .addColumn('asked_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('venue_orders_key', ['request_hash', 'leg'])
      .addForeignKeyConstraint('venue_orders_transaction', ['request_hash'], 'transactions', ['request_hash'])
      .execute()
    await db.schema
      .createIndex('venue_orders_open')
      .on('venue_orders')
      .column('asked_at')
      .where(sql.ref('state'), '=', 'open')
      .execute()
  },
})
