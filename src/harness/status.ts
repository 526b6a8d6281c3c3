import type { Address } from '../lib/address.ts'

/** How the harness is set up and what it is doing. No secrets: it is shown in chats. */
export type HarnessStatus = Readonly<{
  mode: 'dry-run' | 'direct'
  wallet: Address | null
  chainId: number | null
  agents: readonly Readonly<{ id: string; name: string; provider: string | null; model: string | null }>[]
  conversations: number
  /** Conversations in which a turn runs. */
  running: number
  /** Names of the skills that are loaded, and what is wrong with any. */
  skills: readonly string[]
  problems: readonly Readonly<{ skill: string; problem: string }>[]
}>
