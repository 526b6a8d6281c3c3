import type { Address } from '../../lib/address.ts'
import type { Hex } from '../../lib/hash.ts'
import type { ProposedTx, TransactionStatus } from '../../schema/action.ts'
import type { SignedReceipt } from '../../schema/receipt.ts'
import type { Verdict } from '../../schema/verdict.ts'
import type { Database } from '../database.ts'

/** A verdict to keep. `approvedUntil` is null where nothing was approved. */
export type NewVerdict = Readonly<{
  requestHash: Hex
  verdict: Verdict
  approvedUntil: number | null
  /** Null for what awaits a person. */
  receipt: SignedReceipt | null
}>

/** A verdict as it was decided. */
export type StoredVerdict = NewVerdict & Readonly<{ createdAt: number }>

const COLUMNS = [
  'verdicts.request_hash as requestHash',
  'verdicts.verdict',
  'verdicts.approved_until as approvedUntil',
  'verdicts.receipt',
  'verdicts.created_at as createdAt',
] as const

/** A decision with what it was about, and what became of it. */
export type RecordedVerdict = StoredVerdict &
  Readonly<{
    seq: number
    wallet: Address
    proposedTx: ProposedTx
    description: string
    status: TransactionStatus
    updatedAt: number
    postedAt: number | null
  }>

type RecordedQuery = Readonly<{ wallet?: Address; after: number; limit: number }>

const RECORDED = [
  'verdicts.seq as seq',
  'transactions.wallet as wallet',
  'transactions.proposed_tx as proposedTx',
  'transactions.description as description',
  'transactions.status as status',
  'transactions.updated_at as updatedAt',
  'holds.posted_at as postedAt',
] as const

/** Requests of an agent among which its newest verdict is looked for: not all that it ever made. */
const LAST = 200

/** Verdicts. A request has at most one that awaits a person, and at most one that is decided: none is ever changed. */
export function verdicts(database: Database) {
  const { query } = database
  return {
    /** Keeps several, as of a moment (ms). @throws CountersignError conflict as for one */
    insertAll: (list: readonly NewVerdict[], createdAt: number) => insertAll(database, list, createdAt),

    /** @throws CountersignError conflict when the request has such a verdict already, or is unknown */
    async insert(verdict: NewVerdict): Promise<StoredVerdict> {
      const createdAt = await database.now()
      await insertAll(database, [verdict], createdAt)
      return { ...verdict, createdAt }
    },

    /** The decided one, else the one that awaits a person. */
    async byRequestHash(requestHash: Hex): Promise<StoredVerdict | undefined> {
      const row = await query
        .selectFrom('verdicts')
        .select(COLUMNS)
        .where('request_hash', '=', requestHash)
        .orderBy('decided', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && toVerdict(row)
    },

    /** What was decided, for one wallet or all, in the order of the decisions, after the one of that sequence number. */
    async recorded({ wallet, after, limit }: RecordedQuery): Promise<readonly RecordedVerdict[]> {
      const all = decidedOnes(query)
        .leftJoin('holds', 'holds.request_hash', 'verdicts.request_hash')
        .select([...COLUMNS, ...RECORDED])
        .where('verdicts.seq', '>', after)
        .orderBy('verdicts.seq')
        .limit(limit)
      const rows = await (wallet === undefined ? all : all.where('transactions.wallet', '=', wallet)).execute()
      return rows.map((row) => ({ ...toVerdict(row), proposedTx: JSON.parse(row.proposedTx) as ProposedTx }))
    },

    /** The sequence number of the first of the newest `limit` decisions for a wallet since a moment (ms), if there is one. */
    async recordedFrom(
      wallet: Address,
      { since, limit }: Readonly<{ since: number; limit: number }>,
    ): Promise<number | undefined> {
      const newest = decidedOnes(query)
        .select('verdicts.seq as seq')
        .where('transactions.wallet', '=', wallet)
        .where('verdicts.created_at', '>=', since)
        .orderBy('verdicts.seq', 'desc')
        .limit(limit)
        .as('newest')
      const row = await query
        .selectFrom(newest)
        .select((e) => e.fn.min('newest.seq').as('seq'))
        .executeTakeFirst()
      return row?.seq === null || row?.seq === undefined ? undefined : Number(row.seq)
    },

    /** Of each request the decided one, else the one that awaits a person. */
    async byRequestHashes(requestHashes: readonly Hex[]): Promise<ReadonlyMap<Hex, StoredVerdict>> {
      if (requestHashes.length === 0) return new Map()
      const rows = await query
        .selectFrom('verdicts')
        .select(COLUMNS)
        .where('request_hash', 'in', requestHashes)
        .orderBy('decided')
        .execute()
      return new Map(rows.map((row) => [row.requestHash, toVerdict(row)]))
    },

    /** The newest verdict on any of an agent's last requests. */
    async latestOf(agentId: string): Promise<StoredVerdict | undefined> {
      const last = query
        .selectFrom('transactions')
        .select('request_hash')
        .where('agent_id', '=', agentId)
        .orderBy('seq', 'desc')
        .limit(LAST)
      const row = await query
        .selectFrom('verdicts')
        .select(COLUMNS)
        .where('request_hash', 'in', last)
        .orderBy('verdicts.seq', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && toVerdict(row)
    },
  } as const
}

/**
 * Decisions with their submissions. A cross join, because SQLite takes it in the order given: by the sequence of the
 * verdicts, and not through all that a wallet ever submitted.
 */
function decidedOnes(query: Database['query']) {
  return query
    .selectFrom('verdicts')
    .crossJoin('transactions')
    .whereRef('transactions.request_hash', '=', 'verdicts.request_hash')
    .where('verdicts.decided', '=', 1)
}

type Row = Omit<StoredVerdict, 'verdict' | 'receipt'> & Readonly<{ verdict: string; receipt: string | null }>

function toVerdict<row extends Row>(
  row: row,
): Omit<row, 'verdict' | 'receipt'> & Pick<StoredVerdict, 'verdict' | 'receipt'> {
  return {
    ...row,
    verdict: JSON.parse(row.verdict) as Verdict,
    receipt: row.receipt === null ? null : (JSON.parse(row.receipt) as SignedReceipt),
  }
}

async function insertAll({ query, ahead }: Database, list: readonly NewVerdict[], createdAt: number): Promise<void> {
  if (list.length === 0) return
  await ahead(
    query.insertInto('verdicts').values(
      list.map(({ requestHash, verdict, approvedUntil, receipt }) => ({
        request_hash: requestHash,
        decided: verdict.outcome === 'pending' ? (0 as const) : (1 as const),
        verdict: JSON.stringify(verdict),
        approved_until: approvedUntil,
        receipt: receipt && JSON.stringify(receipt),
        created_at: createdAt,
      })),
    ),
  )
}
