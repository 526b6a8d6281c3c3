import type { KeyType } from '../schema/api-key.ts'
import type { Scope } from '../schema/scope.ts'
import type { User } from './user.ts'

/** Who is asking, as its key says (contract section 3). */
export type Principal = Readonly<{
  keyId: string
  type: KeyType
  /** The agent that an AGENT key speaks for, or the one that an integrator's submissions belong to; else null. */
  agentId: string | null
  /** The integrator that an INTEGRATION key speaks for. */
  appId?: string
  /** The signed-in user that a USER key or token acts for, with the wallet that they proved. */
  user?: User
  scopes: readonly Scope[]
}>
