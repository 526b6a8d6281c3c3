import type { Database } from '../database.ts'

/** Something that a person wants remembered. */
export type Fact = Readonly<{ seq: number; fact: string; createdAt: number }>

/** What agents remember about people, each person's apart. */
export function facts({ query, dialect, atomically }: Database) {
  const countOf = async (from: Database['query'], person: string): Promise<number> => {
    const { count } = await from
      .selectFrom('facts')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('person', '=', person)
      .executeTakeFirstOrThrow()
    return Number(count)
  }
  return {
    /** Oldest first. */
    async of(person: string): Promise<readonly Fact[]> {
      return query
        .selectFrom('facts')
        .select(['seq', 'fact', 'created_at as createdAt'])
        .where('person', '=', person)
        .orderBy('seq')
        .execute()
    },

    /** Whether there was room for it; a fact that is known already needs none. */
    async add(person: string, fact: string, most: number): Promise<boolean> {
      return atomically(async (inner) => {
        await dialect.lock(inner.query, `facts of ${person}`)
        const known = await inner.query
          .selectFrom('facts')
          .select('seq')
          .where('person', '=', person)
          .where('fact', '=', fact)
          .executeTakeFirst()
        if (known) return true
        if ((await countOf(inner.query, person)) >= most) return false
        await inner.query.insertInto('facts').values({ person, fact, created_at: dialect.now }).execute()
        return true
      })
    },

    /** Whether it was there. Only the person's own. */
    async remove(person: string, seq: number): Promise<boolean> {
      const removed = await query
        .deleteFrom('facts')
        .where('person', '=', person)
        .where('seq', '=', seq)
        .returning('seq')
        .executeTakeFirst()
      return removed !== undefined
    },

    /** How many there were. */
    async removeAll(person: string): Promise<number> {
      const removed = await query.deleteFrom('facts').where('person', '=', person).returning('seq').execute()
      return removed.length
    },
  } as const
}
