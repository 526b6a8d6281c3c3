import type { Kysely } from 'kysely'

/** The signed receipt beside each decided verdict. */
export const receipts = () => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('verdicts').addColumn('receipt', 'text').execute()
  },
})
