import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { ScheduleState } from '../tables.ts'

/** One run of a scheduled skill. `slot` is the moment (ms) that the schedule named. */
export type ScheduleRun = Readonly<{
  skill: string
  slot: number
  state: ScheduleState
  detail: string | null
  startedAt: number
  endedAt: number | null
}>

const COLUMNS = ['skill', 'slot', 'state', 'detail', 'started_at as startedAt', 'ended_at as endedAt'] as const

/** The runs of scheduled skills: one row a slot, whoever is first. */
export function scheduleRuns({ query, dialect, atomically }: Database) {
  return {
    /**
     * Claims a slot. Of all that claim it, ever and anywhere, one gets `running`, or `skipped` while an earlier run of
     * the skill goes on; all others get `taken`. A run that was last heard of more than `silentMs` ago counts as lost.
     */
    async claim(skill: string, slot: number, silentMs: number): Promise<'running' | 'skipped' | 'taken'> {
      return atomically((inner) => claim(inner, skill, slot, silentMs))
    },

    /** Says that a run goes on. False when it is over. */
    async touch(skill: string, slot: number): Promise<boolean> {
      const touched = await query
        .updateTable('schedule_runs')
        .set({ alive_at: dialect.now })
        .where('skill', '=', skill)
        .where('slot', '=', slot)
        .where('state', '=', 'running')
        .returning('slot')
        .executeTakeFirst()
      return touched !== undefined
    },

    async finish(skill: string, slot: number, state: 'done' | 'failed', detail: string | null): Promise<void> {
      await query
        .updateTable('schedule_runs')
        .set({ state, detail, ended_at: dialect.now })
        .where('skill', '=', skill)
        .where('slot', '=', slot)
        .where('state', '=', 'running')
        .execute()
    },

    /** The last slot of a skill that anybody claimed. */
    async lastSlot(skill: string): Promise<number | undefined> {
      const row = await query
        .selectFrom('schedule_runs')
        .select('slot')
        .where('skill', '=', skill)
        .orderBy('slot', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.slot
    },

    /** Newest first. */
    async recent(skill: string, limit: number): Promise<readonly ScheduleRun[]> {
      return query
        .selectFrom('schedule_runs')
        .select(COLUMNS)
        .where('skill', '=', skill)
        .orderBy('slot', 'desc')
        .limit(limit)
        .execute()
    },

    /** Forgets ended runs that began before a moment (ms); the last slot of a skill is kept, so that it never runs again. */
    async forgetBefore(moment: number): Promise<void> {
      await query
        .deleteFrom('schedule_runs')
        .where('started_at', '<', moment)
        .where('ended_at', 'is not', null)
        .where('slot', '<', (e) =>
          e
            .selectFrom('schedule_runs as newer')
            .select((inner) => inner.fn.max('newer.slot').as('slot'))
            .whereRef('newer.skill', '=', 'schedule_runs.skill'),
        )
        .execute()
    },
  } as const
}

/** Claims a slot within one transaction, under the skill's lock. */
async function claim(
  { query, dialect }: Database,
  skill: string,
  slot: number,
  silentMs: number,
): Promise<'running' | 'skipped' | 'taken'> {
  await dialect.lock(query, `schedule of ${skill}`)
  await query
    .updateTable('schedule_runs')
    .set({ state: 'failed', detail: 'The process ended during the run.', ended_at: dialect.now })
    .where('skill', '=', skill)
    .where('state', '=', 'running')
    .where('alive_at', '<', sql<number>`${dialect.now} - ${silentMs}`)
    .execute()
  const busy = await query
    .selectFrom('schedule_runs')
    .select('slot')
    .where('skill', '=', skill)
    .where('state', '=', 'running')
    .executeTakeFirst()
  const state = busy === undefined ? 'running' : 'skipped'
  const claimed = await query
    .insertInto('schedule_runs')
    .values({
      skill,
      slot,
      state,
      started_at: dialect.now,
      alive_at: dialect.now,
      ...(busy && { detail: 'The run before it was not over.', ended_at: dialect.now }),
    })
    .onConflict((on) => on.doNothing())
    .returning('slot')
    .executeTakeFirst()
  return claimed === undefined ? 'taken' : state
}
