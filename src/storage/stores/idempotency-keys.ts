import type { Hex } from '../../lib/hash.ts'
import type { Database } from '../database.ts'

/** What a key is good for: one partner and one operation. */
export type IdempotencyScope = Readonly<{ appId: string; operation: string; key: string }>

/** A key that was used: for which body, for which submission, and what was answered, once that is known. */
export type UsedKey = Readonly<{ bodyDigest: Hex; requestHash: Hex; answer: string | null }>

/** A key lives as long as this, in ms, and at least as long as the hold that its submission took (contract section 7). */
const LIFETIME_MS = 86_400_000

/** Keys by which a repeated request is known for one. */
export function idempotencyKeys({ query, dialect }: Database) {
  const of = ({ appId, operation, key }: IdempotencyScope) =>
    query
      .selectFrom('idempotency_keys')
      .select(['body_digest as bodyDigest', 'request_hash as requestHash', 'answer'])
      .where('app_id', '=', appId)
      .where('operation', '=', operation)
      .where('key', '=', key)
  return {
    async get(scope: IdempotencyScope): Promise<UsedKey | undefined> {
      return of(scope).executeTakeFirst()
    },

    /**
     * Whether the key is this caller's to use. Of several at once one has it; the others wait for its transaction, and
     * are told no when it commits.
     */
    async claim(scope: IdempotencyScope, { bodyDigest, requestHash }: Omit<UsedKey, 'answer'>): Promise<boolean> {
      const row = { app_id: scope.appId, operation: scope.operation, key: scope.key }
      const claimed = await query
        .insertInto('idempotency_keys')
        .values({ ...row, body_digest: bodyDigest, request_hash: requestHash, created_at: dialect.now })
        .onConflict((on) => on.doNothing())
        .returning('key')
        .executeTakeFirst()
      return claimed !== undefined
    },

    /** Keeps what is answered, and gives what is kept: of several at once, the first wins for all. */
    async answer(scope: IdempotencyScope, text: string): Promise<string> {
      await query
        .updateTable('idempotency_keys')
        .set({ answer: text })
        .where('app_id', '=', scope.appId)
        .where('operation', '=', scope.operation)
        .where('key', '=', scope.key)
        .where('answer', 'is', null)
        .execute()
      return (await of(scope).executeTakeFirst())?.answer ?? text
    },

    /** Forgets keys that have had their time, and whose submission holds nothing any more and never will. Returns how many. */
    async forget(): Promise<number> {
      const forgotten = await query
        .deleteFrom('idempotency_keys')
        .where('created_at', '<=', (e) => e(dialect.asOf, '-', e.lit(LIFETIME_MS)))
        .where((e) =>
          e.not(
            e.exists(
              e
                .selectFrom('transactions')
                .leftJoin('holds', 'holds.request_hash', 'transactions.request_hash')
                .select('transactions.id')
                .whereRef('transactions.request_hash', '=', 'idempotency_keys.request_hash')
                .where((own) => own.or([own('transactions.status', '=', 'PENDING'), own('holds.state', '=', 'held')])),
            ),
          ),
        )
        .executeTakeFirst()
      return Number(forgotten.numDeletedRows)
    },
  } as const
}
