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

const COLUMNS = ['seq', 'previous_hash as previousHash', 'hash', 'at', 'kind', 'subject', 'payload'] as const
/** What the first row is chained to. */
const ORIGIN: Hex = `0x${'0'.repeat(64)}`
const VERIFIED_AT_ONCE = 500

/** The audit log: each row is chained to the one before it by SHA-256 (contract section 8). */
export function audit({ query, dialect, atomically }: Database) {
  async function appendAll(entries: readonly AuditEntry[]): Promise<readonly AuditRow[]> {
    if (entries.length === 0) return []
    return atomically(async (inner) => {
      await dialect.lock(inner.query, 'audit log')
      const last = await inner.query
        .selectFrom('audit')
        .select(['seq', 'hash', dialect.now.as('now')])
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst()
      const at = last?.now ?? (await inner.now())
      const rows: AuditRow[] = []
      for (const { kind, subject, payload } of entries) {
        const before = rows.at(-1) ?? last
        const content = {
          seq: (before?.seq ?? 0) + 1,
          previousHash: before?.hash ?? ORIGIN,
          at,
          kind,
          subject,
          payload,
        }
        rows.push({ ...content, hash: hashOf(content) })
      }
      await inner.query
        .insertInto('audit')
        .values(
          rows.map(({ previousHash, payload, ...row }) => ({
            ...row,
            previous_hash: previousHash,
            payload: canonicalJson(payload),
          })),
        )
        .execute()
      return rows
    })
  }

  return {
    /** Appends a row. Appends wait for each other until their transactions end: make it the last thing of a transaction. */
    async append(entry: AuditEntry): Promise<AuditRow> {
      const [row] = await appendAll([entry])
      if (row === undefined) throw new CountersignError('internal', 'A row that was written is gone.')
      return row
    },

    /** Appends several, in their order. */
    appendAll,

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
