import type { Kysely } from 'kysely'

/** How people want to be spoken to. */
export const people = () => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('people')
      .addColumn('person', 'text', (column) => column.primaryKey())
      .addColumn('time_zone', 'text', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .execute()
  },
})
