import type { Kysely } from 'kysely'

/** By what a million rows are looked through: a wallet's submissions, and actions of venues that are not settled. */
export const indexes = () => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.createIndex('transactions_by_wallet').on('transactions').columns(['wallet', 'seq']).execute()
    await db.schema.createIndex('venue_actions_by_state').on('venue_actions').columns(['state', 'created_at']).execute()
  },
})
