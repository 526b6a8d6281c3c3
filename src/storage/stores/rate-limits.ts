import { sql } from 'kysely'
import type { Database } from '../database.ts'

/** What a bucket may have in a window (ms), and how many requests ask now. */
export type Admission = Readonly<{ bucket: string; limit: number; windowMs: number; count: number }>

/** How many of the requests were admitted, what is left, and in how many ms there is more. */
export type Admitted = Readonly<{ admitted: number; remaining: number; resetMs: number }>

type State = Readonly<{ taken: number; known: number; used: number; oldest: number | null; now: number }>

/** Slots that are made at once for a bucket that has none free. */
const MADE_AT_ONCE = 16

/**
 * Sliding windows that are exact over all processes of one database. A bucket has as many slots as its limit. A request
 * takes one whose last admission is a window old, so that no window ever holds more; one that another takes at this
 * moment is passed over, so that nobody waits and none that is free is refused.
 */
export function rateLimits({ query, dialect }: Database) {
  const own = ({ bucket, limit }: Admission) => sql<boolean>`bucket = ${bucket} and slot < ${limit}`
  const isFree = ({ windowMs }: Admission) => sql<boolean>`at <= ${dialect.now} - ${sql.lit(windowMs)}`
  const state = (asked: Admission) =>
    sql`count(*) as known, count(case when not (${isFree(asked)}) then 1 end) as used,
      min(case when not (${isFree(asked)}) then at end) as oldest, ${dialect.now} as now
      from rate_limits where ${own(asked)}`

  async function take(asked: Admission): Promise<State> {
    const free = sql`select slot from rate_limits where ${own(asked)} and ${isFree(asked)} order by slot limit ${asked.count}`
    const update = sql`update rate_limits set at = ${dialect.now} where bucket = ${asked.bucket}`
    if (dialect.locksRows) {
      const taken = sql`${update} and slot = any(array(${free} for update skip locked)) returning slot`
      const { rows } = await sql<State>`with taken as (${taken})
        select (select count(*) from taken) as taken, ${state(asked)}`.execute(query)
      return rowOf(rows)
    }
    const { rows } = await sql<State>`select 0 as taken, ${state(asked)}`.execute(query)
    const taken = await sql<object>`${update} and slot in (${free}) returning slot`.execute(query)
    return { ...rowOf(rows), taken: taken.rows.length }
  }

  /** Whether there may be more slots now. */
  async function grow({ bucket, limit }: Admission): Promise<void> {
    await sql`insert into rate_limits (bucket, slot, at)
      with recursive slots(n) as (select 0 union all select n + 1 from slots where n + 1 < ${sql.lit(limit)})
      select cast(${bucket} as text), n, 0 from slots
      where not exists (select 1 from rate_limits where bucket = ${bucket} and slot = n)
      order by n limit ${sql.lit(MADE_AT_ONCE)}
      on conflict do nothing`.execute(query)
  }

  return {
    /** Admits as many of the requests as fit. */
    async admit(asked: Admission): Promise<Admitted> {
      let admitted = 0
      for (;;) {
        const { taken, known, used, oldest, now } = await take({ ...asked, count: asked.count - admitted })
        admitted += taken
        if (admitted >= asked.count || known >= asked.limit) {
          // What is free and was not to be had, others take at this moment.
          const remaining = admitted < asked.count ? 0 : Math.max(0, asked.limit - used - taken)
          return { admitted, remaining, resetMs: Math.max(0, (oldest ?? now) + asked.windowMs - now) }
        }
        await grow(asked)
      }
    },

    /** Forgets slots that have been free for as long as a window. Returns how many. */
    async forget(windowMs: number): Promise<number> {
      const forgotten = await query
        .deleteFrom('rate_limits')
        .where('at', '<=', sql<number>`${dialect.asOf} - ${sql.lit(2 * windowMs)}`)
        .executeTakeFirst()
      return Number(forgotten.numDeletedRows)
    },
  } as const
}

function rowOf([row]: readonly State[]): State {
  return row ?? { taken: 0, known: 0, used: 0, oldest: null, now: 0 }
}
