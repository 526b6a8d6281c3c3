import type { Database } from '../database.ts'

/** One exchange as it is kept: the messages of one turn, as JSON. */
export type StoredExchange = Readonly<{ seq: number; messages: string }>

/** Most exchanges that are read back; older ones were summarised long before. */
const MOST_EXCHANGES = 400

/** What was said in conversations: exchanges as they came, and a summary of those that were put away. */
export function histories({ query, dialect, atomically }: Database) {
  return {
    async append(conversation: string, agentId: string, messages: string): Promise<void> {
      await query
        .insertInto('exchanges')
        .values({ conversation, agent_id: agentId, messages, created_at: dialect.now })
        .execute()
    },

    /** The summary of what was put away, and the exchanges since, oldest first. */
    async read(
      conversation: string,
      agentId: string,
    ): Promise<Readonly<{ summary: string | undefined; exchanges: readonly StoredExchange[] }>> {
      const summary = await query
        .selectFrom('summaries')
        .select('summary')
        .where('conversation', '=', conversation)
        .where('agent_id', '=', agentId)
        .executeTakeFirst()
      const newest = await query
        .selectFrom('exchanges')
        .select(['seq', 'messages'])
        .where('conversation', '=', conversation)
        .where('agent_id', '=', agentId)
        .orderBy('seq', 'desc')
        .limit(MOST_EXCHANGES)
        .execute()
      return { summary: summary?.summary, exchanges: newest.reverse() }
    },

    /** Puts away the exchanges up to `upTo` (their `seq`) and keeps a summary in their place, both or none. */
    async summarise(conversation: string, agentId: string, put: Readonly<{ summary: string; upTo: number }>) {
      await atomically(async (inner) => {
        await inner.query
          .insertInto('summaries')
          .values({ conversation, agent_id: agentId, summary: put.summary, created_at: dialect.now })
          .onConflict((on) =>
            on.columns(['conversation', 'agent_id']).doUpdateSet({ summary: put.summary, created_at: dialect.now }),
          )
          .execute()
        await inner.query
          .deleteFrom('exchanges')
          .where('conversation', '=', conversation)
          .where('agent_id', '=', agentId)
          .where('seq', '<=', put.upTo)
          .execute()
      })
    },

    /** Forgets a conversation with all agents. */
    async clear(conversation: string): Promise<void> {
      await atomically(async (inner) => {
        await inner.query.deleteFrom('exchanges').where('conversation', '=', conversation).execute()
        await inner.query.deleteFrom('summaries').where('conversation', '=', conversation).execute()
      })
    },

    /** Forgets what was said before a moment (ms). */
    async forgetBefore(moment: number): Promise<void> {
      await atomically(async (inner) => {
        await inner.query.deleteFrom('exchanges').where('created_at', '<', moment).execute()
        await inner.query.deleteFrom('summaries').where('created_at', '<', moment).execute()
      })
    },
  } as const
}
