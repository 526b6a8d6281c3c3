import type { Database } from '../database.ts'

/** How people want to be spoken to, each by a key of their own. */
export function people({ query, dialect }: Database) {
  return {
    /** Their time zone, by its IANA name; nothing where they named none. */
    async timeZone(person: string): Promise<string | undefined> {
      const row = await query.selectFrom('people').select('time_zone').where('person', '=', person).executeTakeFirst()
      return row?.time_zone
    },

    async setTimeZone(person: string, timeZone: string): Promise<void> {
      await query
        .insertInto('people')
        .values({ person, time_zone: timeZone, updated_at: dialect.now })
        .onConflict((on) => on.column('person').doUpdateSet({ time_zone: timeZone, updated_at: dialect.now }))
        .execute()
    },

    /** They are told times in the usual zone again. */
    async forgetTimeZone(person: string): Promise<void> {
      await query.deleteFrom('people').where('person', '=', person).execute()
    },
  } as const
}
