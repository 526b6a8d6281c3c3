import type { Address } from '../../lib/address.ts'
import type { Hex } from '../../lib/hash.ts'
import type { TransactionStatus } from '../../schema/action.ts'
import type { Database } from '../database.ts'
import { type Page, type PageRequest, pageOf, startOf } from '../page.ts'
import {
  COLUMNS,
  type ExecutionReport,
  type NewTransaction,
  type StoredTransaction,
  textOf,
  toTransaction,
} from '../transaction-row.ts'

/** Submitted actions. */
export function transactions(database: Database) {
  const { query, dialect } = database
  return {
    /** Keeps it as PENDING. @throws CountersignError conflict when the id or the request hash is known already */
    async insert(transaction: NewTransaction): Promise<StoredTransaction> {
      const createdAt = await database.now()
      await insertAll(database, [transaction], { createdAt, leaseUntil: createdAt })
      return storedOf(transaction, createdAt)
    },

    /** Keeps them as PENDING, in their order. Until `leaseUntil` nobody else takes their decision up. Moments in ms. */
    async insertAll(list: readonly NewTransaction[], times: Times): Promise<readonly StoredTransaction[]> {
      await insertAll(database, list, times)
      return list.map((transaction) => storedOf(transaction, times.createdAt))
    },

    async byRequestHash(requestHash: Hex): Promise<StoredTransaction | undefined> {
      const select = query.selectFrom('transactions').select(COLUMNS).where('request_hash', '=', requestHash)
      const row = await select.executeTakeFirst()
      return row && toTransaction(row)
    },

    async byId(id: string): Promise<StoredTransaction | undefined> {
      const row = await query.selectFrom('transactions').select(COLUMNS).where('id', '=', id).executeTakeFirst()
      return row && toTransaction(row)
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

type Times = Readonly<{ createdAt: number; leaseUntil: number }>

async function insertAll({ query, ahead }: Database, list: readonly NewTransaction[], times: Times): Promise<void> {
  if (list.length === 0) return
  const { createdAt, leaseUntil } = times
  await ahead(
    query.insertInto('transactions').values(
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
        lease_until: leaseUntil,
        created_at: createdAt,
        updated_at: createdAt,
      })),
    ),
  )
}

function storedOf(transaction: NewTransaction, createdAt: number): StoredTransaction {
  return { ...transaction, status: 'PENDING', report: null, reportedAt: null, createdAt, updatedAt: createdAt }
}
