import type { KeyType } from '../schema/api-key.ts'
import type { Scope } from '../schema/scope.ts'

/** Who is asking, as its key says (contract section 3). */
export type Principal = Readonly<{
  keyId: string
  type: KeyType
  /** The agent that an AGENT key speaks for; null for every other type. */
  agentId: string | null
  scopes: readonly Scope[]
}>
