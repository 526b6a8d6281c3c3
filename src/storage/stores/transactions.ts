import { sql } from 'kysely'
import type { Address } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { Hex } from '../../lib/hash.ts'
import type { ProposedTx, TransactionStatus } from '../../schema/action.ts'
import type { Database } from '../database.ts'
import type { Json } from '../json.ts'
import { type Page, type PageRequest, pageOf, startOf } from '../page.ts'

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

const COLUMNS = [
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

/** Submitted actions. */
export function transactions({ query, dialect }: Database) {
  async function insertAll(list: readonly NewTransaction[], leaseMs: number): Promise<readonly StoredTransaction[]> {
    if (list.length === 0) return []
    const rows = await query
      .insertInto('transactions')
      .values(
        list.map((transaction) => ({
          id: transaction.id,
          request_hash: transaction.requestHash,
          action_hash: transaction.actionHash,
          agent_id: transaction.agentId,
          wallet: transaction.wallet,
          chain_id: transaction.chainId,
          proposed_tx: JSON.stringify(transaction.proposedTx),
          description: transaction.description,
          metadata: textOf(transaction.metadata),
          context_logs: textOf(transaction.contextLogs),
          principal: JSON.stringify(transaction.principal),
          status: 'PENDING' as const,
          lease_until: sql<number>`${dialect.now} + ${sql.lit(leaseMs)}`,
          created_at: dialect.now,
          updated_at: dialect.now,
        })),
      )
      .returning(COLUMNS)
      .execute()
    const byId = new Map(rows.map((row) => [row.id, toTransaction(row)]))
    return list.flatMap(({ id }) => byId.get(id) ?? [])
  }

  return {
    /** Keeps it as PENDING. @throws CountersignError conflict when the id or the request hash is known already */
    async insert(transaction: NewTransaction): Promise<StoredTransaction> {
      const [row] = await insertAll([transaction], 0)
      if (row === undefined) throw new CountersignError('internal', 'A row that was written is gone.')
      return row
    },

    /** Keeps them as PENDING, in their order. For `leaseMs` nobody else takes their decision up. */
    insertAll,

    async byRequestHash(requestHash: Hex): Promise<StoredTransaction | undefined> {
      const select = query.selectFrom('transactions').select(COLUMNS).where('request_hash', '=', requestHash)
      const row = await select.executeTakeFirst()
      return row && toTransaction(row)
    },

    async byId(id: string): Promise<StoredTransaction | undefined> {
      const row = await query.selectFrom('transactions').select(COLUMNS).where('id', '=', id).executeTakeFirst()
      return row && toTransaction(row)
    },

    /**
     * Takes up submissions that have no verdict and that nobody is at, oldest first: what a crash left behind. Of several
     * processes at once each gets others.
     */
    async takeUp(limit: number, leaseMs: number): Promise<readonly StoredTransaction[]> {
      const free = query
        .selectFrom('transactions')
        .select('seq')
        .where('lease_until', '<=', dialect.now)
        .where('status', '=', 'PENDING')
        .orderBy('lease_until')
        .limit(limit)
        .$if(dialect.locksRows, (select) => select.forUpdate().skipLocked())
      const rows = await query
        .updateTable('transactions')
        .set({ lease_until: sql<number>`${dialect.now} + ${sql.lit(leaseMs)}` })
        .where('seq', 'in', free)
        .where('lease_until', '<=', dialect.now)
        .returning([...COLUMNS, 'seq'])
        .execute()
      return rows.toSorted((x, y) => x.seq - y.seq).map(({ seq: _, ...row }) => toTransaction(row))
    },

    /** Gives up the leases of processes that are gone: only where this process is the only one. */
    async endLeases(): Promise<void> {
      await query
        .updateTable('transactions')
        .set({ lease_until: dialect.now })
        .where('lease_until', 'is not', null)
        .execute()
    },

    /** Gives up the lease of one: whoever looks next takes it up. */
    async release(requestHash: Hex): Promise<void> {
      await query
        .updateTable('transactions')
        .set({ lease_until: dialect.now })
        .where('request_hash', '=', requestHash)
        .where('lease_until', 'is not', null)
        .execute()
    },

    /** How many have no verdict yet. */
    async countUndecided(): Promise<number> {
      const row = await query
        .selectFrom('transactions')
        .select((e) => e.fn.countAll<number>().as('count'))
        .where('lease_until', 'is not', null)
        .executeTakeFirst()
      return Number(row?.count ?? 0)
    },

    /** What was decided: each from PENDING to where its verdict leads. One that a person has to decide stays PENDING. */
    async decide(requestHashes: readonly Hex[], to: 'PENDING' | 'APPROVED' | 'REJECTED'): Promise<void> {
      if (requestHashes.length === 0) return
      await query
        .updateTable('transactions')
        .set({ status: to, lease_until: null, ...(to !== 'PENDING' && { updated_at: dialect.now }) })
        .where('request_hash', 'in', requestHashes)
        .where('status', '=', 'PENDING')
        .execute()
    },

    /** Whether this call moved it: of several at once, one does. A report is kept with the move that it causes. */
    async move(
      requestHash: Hex,
      from: readonly TransactionStatus[],
      to: TransactionStatus,
      report?: ExecutionReport,
    ): Promise<boolean> {
      const reported = report && { report: JSON.stringify(report), reported_at: dialect.now }
      const moved = await query
        .updateTable('transactions')
        .set({ status: to, updated_at: dialect.now, lease_until: null, ...reported })
        .where('request_hash', '=', requestHash)
        .where('status', 'in', from)
        .returning('id')
        .executeTakeFirst()
      return moved !== undefined
    },

    /** Newest first; of an agent, or of a wallet on one chain or on all. */
    async list(
      page: PageRequest & Readonly<{ agentId?: string | undefined; wallet?: Address; chainId?: number | null }>,
    ): Promise<Page<StoredTransaction>> {
      const { agentId, wallet, chainId } = page
      const all = query
        .selectFrom('transactions')
        .select([...COLUMNS, 'seq'])
        .where('seq', '<', startOf(page))
        .$if(wallet !== undefined, (of) => of.where('wallet', '=', wallet as Address))
        .$if(typeof chainId === 'number', (of) => of.where('chain_id', '=', chainId as number))
      const chosen = agentId === undefined ? all : all.where('agent_id', '=', agentId)
      const rows = await chosen
        .orderBy('seq', 'desc')
        .limit(page.limit + 1)
        .execute()
      return pageOf(rows, page, ({ seq: _, ...row }) => toTransaction(row))
    },
  } as const
}

type Row = Omit<StoredTransaction, 'proposedTx' | 'metadata' | 'contextLogs' | 'principal' | 'report'> &
  Readonly<{
    proposedTx: string
    metadata: string | null
    contextLogs: string | null
    principal: string
    report: string | null
  }>

function toTransaction(row: Row): StoredTransaction {
  return {
    ...row,
    proposedTx: JSON.parse(row.proposedTx) as ProposedTx,
    metadata: row.metadata === null ? undefined : (JSON.parse(row.metadata) as Json),
    contextLogs: row.contextLogs === null ? undefined : (JSON.parse(row.contextLogs) as Json),
    principal: JSON.parse(row.principal) as Json,
    report: row.report === null ? null : (JSON.parse(row.report) as ExecutionReport),
  }
}

function textOf(value: Json | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value)
}
