import { z } from 'zod'
import { spendWithin } from '../../lib/sliding-weight.ts'
import type { Database } from '../database.ts'

const Spent = z.array(z.tuple([z.int(), z.int()]))

/** What may be asked of a venue in a minute, over all processes of one database. */
export function venueBudgets({ query, dialect }: Database) {
  return {
    /**
     * Whether so much may be asked now; where it may, it counts as asked. In a transaction of its own: one process at a time
     * adds up, by the database's clock.
     */
    async spend(name: string, weight: number, weightPerMinute: number): Promise<boolean> {
      await dialect.lock(query, `venue budget ${name}`)
      const { now } = await query.selectNoFrom(dialect.now.as('now')).executeTakeFirstOrThrow()
      const row = await query.selectFrom('venue_budgets').select('spent').where('name', '=', name).executeTakeFirst()
      const before = row === undefined ? [] : Spent.parse(JSON.parse(row.spent))
      const after = spendWithin(before, weight, weightPerMinute, Number(now))
      if (after === undefined) return false
      const spent = JSON.stringify(after)
      await query
        .insertInto('venue_budgets')
        .values({ name, spent })
        .onConflict((on) => on.column('name').doUpdateSet({ spent }))
        .execute()
      return true
    },
  } as const
}
