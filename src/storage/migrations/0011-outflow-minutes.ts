import { type Kysely, sql } from 'kysely'

/**
 * What was posted of each wallet by the minute, so that the sum of a day is one of minutes however busy the day was. The
 * index by window begins with what the index by wallet had.
 */
export const outflowMinutes = () => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('outflow_minutes')
      .addColumn('wallet', 'text', (column) => column.notNull())
      .addColumn('minute', 'bigint', (column) => column.notNull())
      .addColumn('micro_usd', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('outflow_minutes_key', ['wallet', 'minute'])
      .execute()
    await sql`insert into outflow_minutes (wallet, minute, micro_usd)
      select wallet, posted_at / 60000, sum(micro_usd) from holds where state = 'posted' group by 1, 2`.execute(db)
    await db.schema.createIndex('outflow_minutes_by_age').on('outflow_minutes').column('minute').execute()
    await db.schema.dropIndex('holds_by_wallet').execute()
  },
})
