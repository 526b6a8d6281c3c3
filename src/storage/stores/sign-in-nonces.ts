import type { Address } from '../../lib/address.ts'
import type { Database } from '../database.ts'

/** What a nonce was given for: another purpose, or another wallet where one was named, cannot use it. */
export type NonceUse = Readonly<{ nonce: string; purpose: string; wallet: Address }>

/** Nonces of sign-in messages, each good for one. */
export function signInNonces({ query, dialect }: Database) {
  const open = ({ nonce, purpose, wallet }: NonceUse) =>
    query
      .selectFrom('sign_in_nonces')
      .select('nonce')
      .where('nonce', '=', nonce)
      .where('purpose', '=', purpose)
      .where((e) => e.or([e('wallet', 'is', null), e('wallet', '=', wallet)]))
      .where('used_at', 'is', null)
      .where('expires_at', '>', dialect.now)
  return {
    /** Keeps a nonce for `ttlMs`, and gives the moment of its end. */
    async give(nonce: string, purpose: string, wallet: Address | null, ttlMs: number): Promise<number> {
      const row = await query
        .insertInto('sign_in_nonces')
        .values((e) => ({
          nonce,
          purpose,
          wallet,
          created_at: dialect.now,
          expires_at: e(dialect.now, '+', e.lit(ttlMs)),
        }))
        .returning('expires_at as expiresAt')
        .executeTakeFirstOrThrow()
      return row.expiresAt
    },

    /** Whether the nonce could be used now. */
    async isOpen(use: NonceUse): Promise<boolean> {
      return (await open(use).executeTakeFirst()) !== undefined
    },

    /** Whether this call used it: of several at once, one does. */
    async use(use: NonceUse): Promise<boolean> {
      const used = await query
        .updateTable('sign_in_nonces')
        .set({ used_at: dialect.now })
        .where('nonce', 'in', open(use))
        .where('used_at', 'is', null)
        .returning('nonce')
        .executeTakeFirst()
      return used !== undefined
    },

    /** Forgets what ended before a moment. */
    async forget(before: number): Promise<void> {
      await query.deleteFrom('sign_in_nonces').where('expires_at', '<', before).execute()
    },
  } as const
}
