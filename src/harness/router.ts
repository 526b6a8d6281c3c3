import type { Budget } from './budget.ts'
import type { Confirm } from './confirmation.ts'
import type { ModelChoice } from './connect-provider.ts'

/** An agent as configured: who it is, and which model speaks for it. */
export type AgentSettings = Readonly<{
  id: string
  name: string
  /** Name of a provider of the configuration; without one the offline stand-in answers. */
  provider?: string | undefined
  model?: string | undefined
  /** Who it is and how it works, in the owner's words. */
  identity?: string | undefined
  /** Names of the tools that it may use; all by default. */
  tools?: readonly string[] | undefined
  /** Names of the skills that it may use; all by default. */
  skills?: readonly string[] | undefined
  maxTurns?: number | undefined
  /** Models that take over, in this order, where its own cannot be reached. */
  fallbacks?: readonly ModelChoice[] | undefined
  budget?: Budget | undefined
  /** When a person confirms before anything is executed; always by default. */
  confirm?: Confirm | undefined
}>

/** A message on its way: the agent it is for, and what is said to it. */
export type Routed = Readonly<{ agent: AgentSettings; text: string }>

const ADDRESSED = /^@([\w-]+)[,:]?\s+([\s\S]+)$/

/** What decides which agent answers: the words, and the agent of the account that they came to. */
type Addressed = Readonly<{ text: string; agent?: string | undefined }>

/**
 * `@id …` speaks to that agent; everything else goes to the account's own, or to the first one. An unknown name is part of
 * the text.
 */
export function route(agents: readonly [AgentSettings, ...AgentSettings[]], { text, agent: own }: Addressed): Routed {
  const [, id, rest] = ADDRESSED.exec(text) ?? []
  const named = agents.find((agent) => agent.id === id)
  if (named && rest !== undefined) return { agent: named, text: rest }
  return { agent: agents.find((agent) => agent.id === own) ?? agents[0], text }
}
