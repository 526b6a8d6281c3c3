import type { Database } from '../database.ts'

/** Who does what only one process may do. A lease that is not renewed ends by the database's clock. */
export function leases({ query, dialect }: Database) {
  return {
    /** Takes a lease that is free or one's own. Whether it is the holder's now. */
    async take(name: string, holder: string, ttlMs: number): Promise<boolean> {
      const row = await query
        .insertInto('leases')
        .values((e) => ({ name, holder, expires_at: e(dialect.now, '+', ttlMs) }))
        .onConflict((on) =>
          on
            .column('name')
            .doUpdateSet((e) => ({ holder: e.ref('excluded.holder'), expires_at: e.ref('excluded.expires_at') }))
            .where((e) => e.or([e('leases.holder', '=', holder), e('leases.expires_at', '<=', dialect.now)])),
        )
        .returning('holder')
        .executeTakeFirst()
      return row?.holder === holder
    },

    async release(name: string, holder: string): Promise<void> {
      await query.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
    },

    /** Ends all leases: for a database that one process has to itself, where whoever held them is gone. */
    async clear(): Promise<void> {
      await query.deleteFrom('leases').execute()
    },
  } as const
}
