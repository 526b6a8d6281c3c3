import type { Kysely } from 'kysely'

/** What all processes of one database asked of a venue in the last minute. */
export const venueBudgets = () => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('venue_budgets')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('spent', 'text', (column) => column.notNull())
      .execute()
  },
})
