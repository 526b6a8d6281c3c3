import { formatDecimal } from '../lib/usd.ts'
import type { Usage } from './provider.ts'

/** At most so many tokens, and so many US dollars. */
export type Allowance = Readonly<{ tokens?: number | undefined; usd?: number | undefined }>

/** What an agent's models may use: for one message, in one conversation in a day, and in a day (UTC). */
export type Budget = Readonly<{
  turn?: Allowance | undefined
  chat?: Allowance | undefined
  day?: Allowance | undefined
}>

/** Holds where the configuration says nothing: a loop ends long before it costs as much as a person would notice. */
export const DEFAULT_BUDGET = { turn: { tokens: 400_000 }, day: { tokens: 10_000_000 } } as const satisfies Budget

/** Tokens and micro-USD. */
export type Spending = Readonly<{ tokens: number; microUsd: number }>

/** Where it is written down what models used, over all processes. */
export type UsageStore = Readonly<{
  add(agentId: string, conversation: string, spent: Spending): Promise<void>
  today(agentId: string, conversation: string): Promise<Readonly<{ day: Spending; chat: Spending }>>
}>

/** Watches over what one turn uses. */
export type Meter = Readonly<{
  /** Why no further call of a model may be made, if none may. To be asked before each. */
  refusal(): Promise<string | undefined>
  record(usage: Usage): Promise<void>
}>

/** A meter of one turn of an agent in a conversation. */
export function createMeter(
  { turn, chat, day }: Budget,
  where: Readonly<{ agentId: string; conversation: string; usage: UsageStore }>,
): Meter {
  const { agentId, conversation, usage } = where
  let used: Spending = { tokens: 0, microUsd: 0 }
  return {
    async refusal() {
      const today = await usage.today(agentId, conversation)
      return (
        exceeded(used, turn ?? DEFAULT_BUDGET.turn, 'for one message') ??
        exceeded(today.chat, chat ?? {}, 'for this conversation today') ??
        exceeded(today.day, day ?? DEFAULT_BUDGET.day, 'for today')
      )
    },
    async record({ inputTokens, outputTokens, microUsd = 0 }) {
      const tokens = inputTokens + outputTokens
      used = { tokens: used.tokens + tokens, microUsd: used.microUsd + microUsd }
      await usage.add(agentId, conversation, { tokens, microUsd })
    },
  }
}

function exceeded(used: Spending, { tokens, usd }: Allowance, what: string): string | undefined {
  if (tokens !== undefined && used.tokens >= tokens) return `the budget of ${tokens} tokens ${what} is used up`
  if (usd === undefined || used.microUsd < Math.round(usd * 1e6)) return undefined
  return `the budget of ${formatDecimal(BigInt(Math.round(usd * 1e6)), 6)} USD ${what} is used up`
}
