import type { Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'

/** Paper portfolios of dry runs: what they began with, every fill, what they hold, and what a day ended with. */
export const paper = ({ serial }: Dialect) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('paper_portfolios')
      .addColumn('seq', serial)
      .addColumn('wallet', 'text', (column) => column.notNull())
      .addColumn('chain_id', 'bigint', (column) => column.notNull())
      .addColumn('mode', 'text', (column) => column.notNull())
      .addColumn('opening', 'text', (column) => column.notNull())
      .addColumn('opened_at', 'bigint', (column) => column.notNull())
      .addColumn('closed_at', 'bigint')
      .execute()
    await db.schema
      .createTable('paper_holdings')
      .addColumn('portfolio', 'bigint', (column) => column.notNull())
      .addColumn('place', 'text', (column) => column.notNull())
      .addColumn('asset', 'text', (column) => column.notNull())
      .addColumn('symbol', 'text', (column) => column.notNull())
      .addColumn('decimals', 'bigint', (column) => column.notNull())
      .addColumn('amount', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('paper_holdings_key', ['portfolio', 'place', 'asset'])
      .execute()
    await db.schema
      .createTable('paper_grants')
      .addColumn('portfolio', 'bigint', (column) => column.notNull())
      .addColumn('asset', 'text', (column) => column.notNull())
      .addColumn('spender', 'text', (column) => column.notNull())
      .addColumn('amount', 'text', (column) => column.notNull())
      .addColumn('expires_at', 'bigint')
      .addPrimaryKeyConstraint('paper_grants_key', ['portfolio', 'asset', 'spender'])
      .execute()
    await db.schema
      .createTable('paper_fills')
      .addColumn('seq', serial)
      .addColumn('request_hash', 'text', (column) => column.notNull().unique())
      .addColumn('portfolio', 'bigint', (column) => column.notNull())
      .addColumn('origin', 'text', (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('flows', 'text', (column) => column.notNull())
      .addColumn('fee_micro_usd', 'bigint', (column) => column.notNull())
      .addColumn('gas_micro_usd', 'bigint', (column) => column.notNull())
      .addColumn('filled_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema
      .createTable('paper_days')
      .addColumn('portfolio', 'bigint', (column) => column.notNull())
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('first_micro_usd', 'text', (column) => column.notNull())
      .addColumn('last_micro_usd', 'text', (column) => column.notNull())
      .addColumn('marked_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('paper_days_key', ['portfolio', 'day'])
      .execute()
    await db.schema
      .createIndex('paper_portfolios_by_wallet')
      .on('paper_portfolios')
      .columns(['wallet', 'chain_id', 'mode', 'seq'])
      .execute()
    await db.schema.createIndex('paper_fills_by_portfolio').on('paper_fills').columns(['portfolio', 'seq']).execute()
  },
})
