import { canonicalJson } from '../../lib/canonical-json.ts'
import { CountersignError } from '../../lib/errors.ts'
import { type Hex, sha256 } from '../../lib/hash.ts'
import type { Database } from '../database.ts'
import type { Json } from '../json.ts'
import { type Page, type PageRequest, pageOf, startOf } from '../page.ts'

/** Something that happened, to whom or what, and what is to be known of it. */
export type AuditEntry = Readonly<{ kind: string; subject: string; payload: Json }>

/** An entry in its place in the chain. */
export type AuditRow = AuditEntry & Readonly<{ seq: number; previousHash: Hex; hash: Hex; at: number }>

/** The end of the chain: the last row's number and hash, and the time (ms). */
export type AuditHead = Readonly<{ seq: number; hash: Hex; now: number }>

const LOCK = 'audit log'
const COLUMNS = ['seq', 'previous_hash as previousHash', 'hash', 'at', 'kind', 'subject', 'payload'] as const
/** What the first row is chained to. */
const ORIGIN: Hex = `0x${'0'.repeat(64)}`
const VERIFIED_AT_ONCE = 500

/** The audit log: each row is chained to the one before it by SHA-256 (contract section 8). */
export function audit(database: Database) {
  const { query, atomically } = database
  const appendAll = async (entries: readonly AuditEntry[]) =>
    entries.length === 0 ? [] : atomically(async (inner) => appendTo(inner, await headOf(inner), entries))

  return {
    /** Appends a row. Appends wait for each other until their transactions end: make it the last thing of a transaction. */
    async append(entry: AuditEntry): Promise<AuditRow> {
      const [row] = await appendAll([entry])
      if (row === undefined) throw new CountersignError('internal', 'A row that was written is gone.')
      return row
    },

    /** Appends several, in their order. */
    appendAll,

    /**
     * Waits for the log, and has it until the transaction ends; then the time (ms) and what the next row is chained to.
     * @throws CountersignError internal outside a transaction
     */
    async head(): Promise<AuditHead> {
      if (!query.isTransaction) throw new CountersignError('internal', 'The log is locked inside a transaction only.')
      return headOf(database)
    },

    /** Appends several behind the head, which was asked for in this transaction. */
    appendTo: (last: AuditHead, entries: readonly AuditEntry[]) => appendTo(database, last, entries),

    /** Newest first. */
    async list(page: PageRequest): Promise<Page<AuditRow>> {
      const rows = await query
        .selectFrom('audit')
        .select(COLUMNS)
        .where('seq', '<', startOf(page))
        .orderBy('seq', 'desc')
        .limit(page.limit + 1)
        .execute()
      return pageOf(rows, page, toRow)
    },

    /** Number of the first row that is missing or not what was appended; null when the chain is whole. */
    async verify(): Promise<number | null> {
      let [after, seq, previousHash] = [Number.MIN_SAFE_INTEGER, 0, ORIGIN]
      for (;;) {
        const rows = await query
          .selectFrom('audit')
          .select(COLUMNS)
          .where('seq', '>', after)
          .orderBy('seq')
          .limit(VERIFIED_AT_ONCE)
          .execute()
        for (const row of rows) {
          seq++
          if (!isNext(row, seq, previousHash)) return seq
          previousHash = row.hash
        }
        after = seq
        if (rows.length < VERIFIED_AT_ONCE) return null
      }
    },
  } as const
}

/** Waits for the log, and has it until the transaction ends; then what the next row is chained to. */
async function headOf(inner: Database): Promise<AuditHead> {
  const { dialect } = inner
  const last = inner.query.selectFrom('audit').orderBy('seq', 'desc').limit(1)
  const read = () =>
    inner.query
      .selectNoFrom((e) => [
        dialect.now.as('now'),
        last.select('seq').as('seq'),
        last.select('hash').as('hash'),
        e
          .selectFrom('locks')
          .select((lock) => lock.fn.countAll<number>().as('count'))
          .where('name', '=', LOCK)
          .as('locked'),
      ])
      .executeTakeFirstOrThrow()
  if (dialect.locksRows)
    await inner.ahead(inner.query.selectFrom('locks').select('name').where('name', '=', LOCK).forUpdate())
  let found = await read()
  // Where nobody ever locked it there was no row to wait for.
  if (dialect.locksRows && Number(found.locked) === 0) {
    await dialect.lock(inner.query, LOCK)
    found = await read()
  }
  return { seq: found.seq ?? 0, hash: found.hash ?? ORIGIN, now: found.now }
}

async function appendTo(
  inner: Database,
  head: AuditHead,
  entries: readonly AuditEntry[],
): Promise<readonly AuditRow[]> {
  if (entries.length === 0) return []
  const rows: AuditRow[] = []
  for (const { kind, subject, payload } of entries) {
    const before = rows.at(-1) ?? head
    const content = { seq: before.seq + 1, previousHash: before.hash, at: head.now, kind, subject, payload }
    rows.push({ ...content, hash: hashOf(content) })
  }
  await inner.ahead(
    inner.query.insertInto('audit').values(
      rows.map(({ previousHash, payload, ...row }) => ({
        ...row,
        previous_hash: previousHash,
        payload: canonicalJson(payload),
      })),
    ),
  )
  return rows
}

type Stored = Omit<AuditRow, 'payload'> & Readonly<{ payload: string }>

function isNext(stored: Stored, seq: number, previousHash: Hex): boolean {
  if (stored.seq !== seq || stored.previousHash !== previousHash) return false
  try {
    const { hash, ...content } = toRow(stored)
    return hash === hashOf(content)
  } catch {
    return false // what is stored is no JSON any more
  }
}

function hashOf(content: Omit<AuditRow, 'hash'>): Hex {
  return sha256(canonicalJson(content))
}

function toRow(stored: Stored): AuditRow {
  return { ...stored, payload: JSON.parse(stored.payload) as Json }
}
