import { sql } from 'kysely'
import type { Hex } from '../../lib/hash.ts'
import type { MicroUsd } from '../../lib/usd.ts'
import type { ProposedTx } from '../../schema/action.ts'
import type { Verdict } from '../../schema/verdict.ts'
import type { Database } from '../database.ts'
import type { Json } from '../json.ts'

/** What happened to a submission, as the audit log has it, with what is counted of it. */
export type Happening = Readonly<{
  seq: number
  /** Milliseconds of the database's clock. */
  at: number
  kind: string
  payload: Json
  agentId: string
  requestHash: Hex
  proposedTx: ProposedTx
  /** The decided one. */
  verdict: Verdict | null
}>

/** Something to count: of an agent, in an hour (ms of its beginning). */
export type Count = Readonly<{
  agentId: string
  hour: number
  kind: string
  name: string
  count: number
  microUsd: MicroUsd
}>

/** Sums of a period. `at` is the beginning of an hour or a day where a series was asked for, else 0. */
export type Sum = Readonly<{ kind: string; name: string; at: number; count: number; microUsd: MicroUsd }>

const ROLLUP = 'activity'
const COUNTED_AT_ONCE = 500
/** What an hour counts at most, in micro-USD: as much as both databases keep. One action too big must not end all counting. */
const MOST = 2n ** 63n - 1n
const DOLLAR = 1_000_000n

/**
 * Counts by agent and hour. They follow the audit log, which has everything in one order: each row of it is counted once,
 * by whichever process comes first, and no decision waits for it.
 */
export function activity({ query, dialect, atomically }: Database) {
  return {
    /**
     * Counts rows of the audit log that are not counted yet, at most `limit`, as `toCounts` says.
     *
     * @returns how many rows there were
     */
    async countNext(limit: number, toCounts: (happenings: readonly Happening[]) => readonly Count[]): Promise<number> {
      return atomically(async (inner) => {
        await dialect.lock(inner.query, ROLLUP)
        const row = await inner.query
          .selectFrom('rollups')
          .select('through')
          .where('name', '=', ROLLUP)
          .executeTakeFirst()
        const through = row?.through ?? 0
        const last = await inner.query
          .selectFrom('audit')
          .select('seq')
          .where('seq', '>', through)
          .where('seq', '<=', through + limit)
          .orderBy('seq', 'desc')
          .limit(1)
          .executeTakeFirst()
        if (last === undefined) return 0
        const rows = await inner.query
          .selectFrom('audit')
          .innerJoin('transactions', 'transactions.request_hash', 'audit.subject')
          .leftJoin('verdicts', (join) =>
            join.onRef('verdicts.request_hash', '=', 'audit.subject').on('verdicts.decided', '=', 1),
          )
          .select([
            'audit.seq as seq',
            'audit.at as at',
            'audit.kind as kind',
            'audit.payload as payload',
            'transactions.agent_id as agentId',
            'transactions.request_hash as requestHash',
            'transactions.proposed_tx as proposedTx',
            'verdicts.verdict as verdict',
          ])
          .where('audit.seq', '>', through)
          .where('audit.seq', '<=', last.seq)
          .orderBy('audit.seq')
          .execute()
        const happenings = rows.map((one) => ({
          ...one,
          payload: JSON.parse(one.payload) as Json,
          proposedTx: JSON.parse(one.proposedTx) as ProposedTx,
          verdict: one.verdict === null ? null : (JSON.parse(one.verdict) as Verdict),
        }))
        await add(inner, toCounts(happenings))
        await inner.query
          .insertInto('rollups')
          .values({ name: ROLLUP, through: last.seq })
          .onConflict((on) => on.column('name').doUpdateSet({ through: last.seq }))
          .execute()
        return last.seq - through
      })
    },

    /** Sums of an agent since a moment (ms), by kind and name. */
    async sums(agentId: string, since: number): Promise<readonly Sum[]> {
      return read(query, agentId, since, undefined)
    },

    /** Sums of an agent since a moment, of two kinds, by steps of so many ms. */
    async series(agentId: string, since: number, stepMs: number): Promise<readonly Sum[]> {
      return read(query, agentId, since, stepMs)
    },
  } as const
}

async function add({ query }: Database, counts: readonly Count[]): Promise<void> {
  for (let from = 0; from < counts.length; from += COUNTED_AT_ONCE)
    await query
      .insertInto('activity')
      .values(
        counts.slice(from, from + COUNTED_AT_ONCE).map(({ agentId, hour, kind, name, count, microUsd }) => ({
          agent_id: agentId,
          hour,
          kind,
          name,
          count,
          micro_usd: microUsd < MOST ? microUsd : MOST,
        })),
      )
      .onConflict((on) =>
        on.columns(['agent_id', 'hour', 'kind', 'name']).doUpdateSet((e) => ({
          count: e('activity.count', '+', e.ref('excluded.count')),
          micro_usd: sql<MicroUsd>`case when activity.micro_usd > ${sql.lit(MOST)} - excluded.micro_usd
            then ${sql.lit(MOST)} else activity.micro_usd + excluded.micro_usd end`,
        })),
      )
      .execute()
}

async function read(
  query: Database['query'],
  agentId: string,
  since: number,
  stepMs: number | undefined,
): Promise<readonly Sum[]> {
  const at = stepMs === undefined ? sql<number>`hour * 0` : sql<number>`hour - hour % ${sql.lit(stepMs)}`
  const rows = await query
    .selectFrom('activity')
    .select([
      'kind',
      'name',
      at.as('at'),
      sql<number>`cast(sum(count) as bigint)`.as('count'),
      // Dollars and the rest of them: the sum of many hours would be more than SQLite adds exactly.
      sql<string>`cast(sum(micro_usd / ${sql.lit(DOLLAR)}) as text)`.as('dollars'),
      sql<string>`cast(sum(micro_usd % ${sql.lit(DOLLAR)}) as text)`.as('rest'),
    ])
    .where('agent_id', '=', agentId)
    .where('hour', '>=', since)
    .$if(stepMs !== undefined, (select) => select.where('kind', 'in', ['approved', 'rejected']))
    .groupBy(['kind', 'name', at])
    .execute()
  return rows.map(({ dollars, rest, ...row }) => ({ ...row, microUsd: BigInt(dollars) * DOLLAR + BigInt(rest) }))
}
