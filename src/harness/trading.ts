import type { Address } from '../lib/address.ts'
import type { DecisionPort, Principal } from '../policy/index.ts'
import type { ProposedTx } from '../schema/action.ts'
import type { Gate } from './gate.ts'
import type { Paper } from './paper.ts'
import type { Rehearsal } from './simulation.ts'
import type { IntentCheck, Reader } from './tool.ts'

/** What trading needs: whose wallet and where, what may be read, who decides, and what executes. */
export type Trading = Readonly<{
  wallet: Address
  chainId: number
  reader: Reader
  policy: Pick<DecisionPort, 'submit' | 'cancel'>
  /** Who the harness is to the policy. */
  principal: Principal
  gate: Pick<Gate, 'execute'>
  /** What is filled instead of executed, in a dry run that keeps it. */
  paper?: Paper | undefined
  /** Whether the steps of a proposal, in their order, do what a person's words ask for. */
  checkIntent?: (intent: string, txs: readonly ProposedTx[]) => Promise<IntentCheck>
  /** What actions would do, without submitting them; missing where another process decides. */
  rehearsal?: Rehearsal | undefined
  /** Basis points that the policy allows between a quote and the minimum output, now. */
  slippageBps(): Promise<number>
}>
