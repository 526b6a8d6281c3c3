import type { Database } from '../database.ts'

/** What the service keeps about itself, once and for all replicas. */
export function settings({ query, dialect }: Database) {
  const get = async (key: string): Promise<string | undefined> => {
    const row = await query.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst()
    return row?.value
  }
  return {
    get,

    /** Keeps a value where there is none, and gives the one that is kept: of several at once, the first wins for all. */
    async put(key: string, value: string): Promise<string> {
      await query
        .insertInto('settings')
        .values({ key, value, created_at: dialect.now })
        .onConflict((on) => on.doNothing())
        .execute()
      return (await get(key)) ?? value
    },
  } as const
}
