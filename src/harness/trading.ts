import type { Address } from '../lib/address.ts'
import type { PolicyService, Principal } from '../policy/index.ts'
import type { ProposedTx } from '../schema/action.ts'
import type { Gate } from './gate.ts'
import type { IntentCheck, Reader } from './tool.ts'

/** What trading needs: whose wallet and where, what may be read, who decides, and what executes. */
export type Trading = Readonly<{
  wallet: Address
  chainId: number
  reader: Reader
  policy: Pick<PolicyService, 'submit' | 'cancel'>
  /** Who the harness is to the policy. */
  principal: Principal
  gate: Pick<Gate, 'execute'>
  /** Whether the steps of a proposal, in their order, do what a person's words ask for. */
  checkIntent?: (intent: string, txs: readonly ProposedTx[]) => Promise<IntentCheck>
  /** Basis points that the policy allows between a quote and the minimum output, now. */
  slippageBps(): Promise<number>
}>
