import type { Database } from '../database.ts'

/** What models used: tokens, and micro-USD where their prices are known. */
export type Spent = Readonly<{ tokens: number; microUsd: number }>

const DAY_MS = 86_400_000

/** What the agents' models used, by conversation and day (UTC, by the database's clock). */
export function modelUsage({ query, now }: Database) {
  const today = async () => new Date(Math.floor((await now()) / DAY_MS) * DAY_MS).toISOString().slice(0, 10)
  return {
    async add(agentId: string, conversation: string, { tokens, microUsd }: Spent): Promise<void> {
      await query
        .insertInto('model_usage')
        .values({
          agent_id: agentId,
          conversation,
          day: await today(),
          calls: 1,
          tokens,
          micro_usd: microUsd,
        })
        .onConflict((on) =>
          on.columns(['agent_id', 'day', 'conversation']).doUpdateSet((e) => ({
            calls: e('model_usage.calls', '+', e.ref('excluded.calls')),
            tokens: e('model_usage.tokens', '+', e.ref('excluded.tokens')),
            micro_usd: e('model_usage.micro_usd', '+', e.ref('excluded.micro_usd')),
          })),
        )
        .execute()
    },

    /** What an agent used today, in all conversations and in this one. */
    async today(agentId: string, conversation: string): Promise<Readonly<{ day: Spent; chat: Spent }>> {
      const rows = await query
        .selectFrom('model_usage')
        .select(['conversation', 'tokens', 'micro_usd as microUsd'])
        .where('agent_id', '=', agentId)
        .where('day', '=', await today())
        .execute()
      const sum = (list: typeof rows): Spent => ({
        tokens: list.reduce((total, { tokens }) => total + tokens, 0),
        microUsd: list.reduce((total, { microUsd }) => total + microUsd, 0),
      })
      return { day: sum(rows), chat: sum(rows.filter((row) => row.conversation === conversation)) }
    },

    /** Forgets what was used before a moment (ms). */
    async forgetBefore(moment: number): Promise<void> {
      await query.deleteFrom('model_usage').where('day', '<', new Date(moment).toISOString().slice(0, 10)).execute()
    },
  } as const
}
