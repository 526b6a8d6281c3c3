import { CountersignError } from '../lib/errors.ts'

/** Which part of a list: what follows `cursor`, at most `limit` items. */
export type PageRequest = Readonly<{ cursor?: string | undefined; limit: number }>

/** A part of a list, newest first. `nextCursor` is null at its end. */
export type Page<T> = Readonly<{ items: readonly T[]; nextCursor: string | null }>

const AFTER_THE_NEWEST = Number.MAX_SAFE_INTEGER

/**
 * The sequence number below which the page starts.
 *
 * @throws CountersignError invalid_request for a cursor that no list has given
 */
export function startOf({ cursor }: PageRequest): number {
  if (cursor === undefined) return AFTER_THE_NEWEST
  if (!/^[1-9][0-9]{0,14}$/.test(cursor)) {
    const fields = [{ path: 'cursor', message: 'expected the nextCursor of the page before' }]
    throw new CountersignError('invalid_request', 'The cursor is not one that a list has given.', { fields })
  }
  return Number(cursor)
}

/** The page of rows that were read with one more than its limit. */
export function pageOf<row extends Readonly<{ seq: number }>, T>(
  rows: readonly row[],
  { limit }: PageRequest,
  toItem: (row: row) => T,
): Page<T> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { items: shown.map(toItem), nextCursor: rows.length > limit && last ? String(last.seq) : null }
}
