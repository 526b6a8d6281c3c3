import type { Database } from '../database.ts'

/** Someone who asked to be let in, until `expiresAt` (ms), or was. */
export type Pairing = Readonly<{
  channel: string
  account: string
  sender: string
  code: string
  approvedBy: string | null
}>

const COLUMNS = ['channel', 'account', 'sender', 'code', 'approved_by as approvedBy'] as const

/** People who came by a code that the owner confirmed, and those who wait for it. */
export function pairings({ query, dialect, atomically }: Database) {
  return {
    async isApproved(channel: string, account: string, sender: string): Promise<boolean> {
      const row = await query
        .selectFrom('pairings')
        .select('sender')
        .where('channel', '=', channel)
        .where('account', '=', account)
        .where('sender', '=', sender)
        .where('approved_by', 'is not', null)
        .executeTakeFirst()
      return row !== undefined
    },

    /** The code of a sender: the one they have, or the new one; nothing where as many wait already. */
    async ask(
      pairing: Readonly<{ channel: string; account: string; sender: string; code: string; ttlMs: number }>,
      mostWaiting: number,
    ): Promise<string | undefined> {
      const { channel, account, sender, code, ttlMs } = pairing
      return atomically(async (inner) => {
        await dialect.lock(inner.query, `pairings ${channel} ${account}`)
        const now = await inner.now()
        await inner.query
          .deleteFrom('pairings')
          .where('approved_by', 'is', null)
          .where('expires_at', '<=', now)
          .execute()
        const waiting = await inner.query
          .selectFrom('pairings')
          .select(COLUMNS)
          .where('channel', '=', channel)
          .where('account', '=', account)
          .where('approved_by', 'is', null)
          .execute()
        const known = waiting.find((one) => one.sender === sender)
        if (known) return known.code
        if (waiting.length >= mostWaiting) return undefined
        await inner.query
          .insertInto('pairings')
          .values({ channel, account, sender, code, approved_by: null, expires_at: now + ttlMs, created_at: now })
          .execute()
        return code
      })
    },

    /** Lets in who has the code; nothing where nobody has it any more. */
    async approve(code: string, by: string): Promise<Pairing | undefined> {
      return query
        .updateTable('pairings')
        .set({ approved_by: by })
        .where('code', '=', code)
        .where('approved_by', 'is', null)
        .where('expires_at', '>', dialect.now)
        .returning(COLUMNS)
        .executeTakeFirst()
    },
  } as const
}
