import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import type { ProposedTx, TransactionStatus } from '../schema/action.ts'
import type { Json } from './json.ts'

/** What was reported of an execution: the hash of a transaction, or the id of a venue's order. */
export type ExecutionReport = Readonly<{ txHash: Hex }> | Readonly<{ orderId: string }> | Readonly<{ cloid: string }>

/** A submitted action to keep before it is answered. */
export type NewTransaction = Readonly<{
  id: string
  requestHash: Hex
  actionHash: Hex
  agentId: string
  wallet: Address
  chainId: number
  /** Given back as it was received: members in their order, numbers and texts as they were. */
  proposedTx: ProposedTx
  description: string
  metadata: Json | undefined
  contextLogs: Json | undefined
  /** Who submitted it. */
  principal: Json
}>

/** A submitted action, and how far it got. The verdict is what counts, not the status. */
export type StoredTransaction = NewTransaction &
  Readonly<{
    status: TransactionStatus
    report: ExecutionReport | null
    reportedAt: number | null
    createdAt: number
    updatedAt: number
  }>

/** Columns of a submission, by the names of its members. */
export const COLUMNS = [
  'id',
  'request_hash as requestHash',
  'action_hash as actionHash',
  'agent_id as agentId',
  'wallet',
  'chain_id as chainId',
  'proposed_tx as proposedTx',
  'description',
  'metadata',
  'context_logs as contextLogs',
  'principal',
  'status',
  'report',
  'reported_at as reportedAt',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const

/** A submission as it is selected. */
export type Row = Omit<StoredTransaction, 'proposedTx' | 'metadata' | 'contextLogs' | 'principal' | 'report'> &
  Readonly<{
    proposedTx: string
    metadata: string | null
    contextLogs: string | null
    principal: string
    report: string | null
  }>

/** A row as a submission. */
export function toTransaction(row: Row): StoredTransaction {
  return {
    ...row,
    proposedTx: JSON.parse(row.proposedTx) as ProposedTx,
    metadata: row.metadata === null ? undefined : (JSON.parse(row.metadata) as Json),
    contextLogs: row.contextLogs === null ? undefined : (JSON.parse(row.contextLogs) as Json),
    principal: JSON.parse(row.principal) as Json,
    report: row.report === null ? null : (JSON.parse(row.report) as ExecutionReport),
  }
}

/** JSON as it is kept; null where there is none. */
export function textOf(value: Json | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value)
}
