import type { Database } from '../database.ts'

/** Who stopped all signing, and when (ms). */
export type Pause = Readonly<{ by: string; at: number }>

const NAME = 'signing'

/** The switch that stops all signing, on every replica. */
export function killSwitch({ query, dialect }: Database) {
  return {
    /**
     * Who stopped signing, if somebody did. In a transaction the answer holds until it ends: whoever throws the switch
     * waits for it, so that after that nothing more is signed.
     */
    async read(): Promise<Pause | undefined> {
      const select = query
        .selectFrom('switches')
        .select(['thrown_by as by', 'thrown_at as at'])
        .where('name', '=', NAME)
      const row = await (dialect.locksRows ? select.forShare() : select).executeTakeFirst()
      if (row === undefined || row.by === null || row.at === null) return undefined
      return { by: row.by, at: row.at }
    },

    /** Whether this call changed it. */
    async set(by: string | null): Promise<boolean> {
      const changed = await query
        .updateTable('switches')
        .set({ thrown_by: by, thrown_at: by === null ? null : dialect.now })
        .where('name', '=', NAME)
        .where('thrown_by', by === null ? 'is not' : 'is', null)
        .returning('name')
        .executeTakeFirst()
      return changed !== undefined
    },
  } as const
}
