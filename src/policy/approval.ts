import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import type { ProposedTx } from '../schema/action.ts'
import type { Verdict } from '../schema/verdict.ts'
import { actionHashOf } from './action-hash.ts'

declare const approved: unique symbol

/** Proof that exactly this action of this wallet was approved. Only `approve` makes one, so nothing else compiles into the gate. */
export type Approval = Readonly<{
  requestHash: Hex
  actionHash: Hex
  wallet: Address
  tx: ProposedTx
  /** After this moment it is worth nothing, by the database's clock. */
  expiresAt: Date
  [approved]: true
}>

type Decided = Readonly<{
  requestHash: Hex
  wallet: Address
  tx: ProposedTx
  verdict: Verdict
  approvedUntil: number | null
}>

/** The approval of an approved verdict about exactly these bytes, and nothing for any other. */
export function approve({ requestHash, wallet, tx, verdict, approvedUntil }: Decided): Approval | undefined {
  const actionHash = actionHashOf(tx)
  if (verdict.outcome !== 'approved' || approvedUntil === null) return undefined
  if (verdict.evidence.observations.actionHash !== actionHash) return undefined
  return { requestHash, actionHash, wallet, tx, expiresAt: new Date(approvedUntil) } as Approval
}
