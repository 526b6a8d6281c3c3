import type { Database } from '../database.ts'

/** Up to where a conversation was read, for platforms that do not tell again what was missed. */
export function bookmarks({ query }: Database) {
  return {
    async all(channel: string, account: string): Promise<ReadonlyMap<string, string>> {
      const rows = await query
        .selectFrom('bookmarks')
        .select(['conversation', 'last_id as lastId'])
        .where('channel', '=', channel)
        .where('account', '=', account)
        .execute()
      return new Map(rows.map(({ conversation, lastId }) => [conversation, lastId]))
    },

    async set(channel: string, account: string, conversation: string, lastId: string): Promise<void> {
      await query
        .insertInto('bookmarks')
        .values({ channel, account, conversation, last_id: lastId })
        .onConflict((on) => on.columns(['channel', 'account', 'conversation']).doUpdateSet({ last_id: lastId }))
        .execute()
    },
  } as const
}
