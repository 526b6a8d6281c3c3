import { type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'

/** Whether a hold has not run out. */
export function inForceNow({ dialect }: Database): RawBuilder<boolean> {
  return sql<boolean>`(expires_at is null or expires_at > ${dialect.now})`
}
