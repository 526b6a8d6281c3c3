import type { Address } from '../lib/address.ts'
import type { PolicyService, Principal } from '../policy/index.ts'
import type { Gate } from './gate.ts'
import type { Reader } from './tool.ts'

/** What trading needs: whose wallet and where, what may be read, who decides, and what executes. */
export type Trading = Readonly<{
  wallet: Address
  chainId: number
  reader: Reader
  policy: Pick<PolicyService, 'submit' | 'cancel'>
  /** Who the harness is to the policy. */
  principal: Principal
  gate: Pick<Gate, 'execute'>
  /** Basis points that the policy allows between a quote and the minimum output, now. */
  slippageBps(): Promise<number>
}>
