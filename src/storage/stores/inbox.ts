import type { Database } from '../database.ts'
import type { Json } from '../json.ts'
import type { InboxState } from '../tables.ts'

/** A message to keep before its platform is told that it arrived. */
export type NewInboxMessage = Readonly<{
  channel: string
  account: string
  /** The platform's own id of the message: once taken, never again. */
  messageId: string
  conversation: string
  message: Json
  /** The process that answers it. */
  owner: string
}>

/** A message that is not answered yet. */
export type InboxRow = NewInboxMessage & Readonly<{ seq: number; state: InboxState; attempts: number }>

const COLUMNS = [
  'seq',
  'channel',
  'account',
  'message_id as messageId',
  'conversation',
  'message',
  'owner',
  'state',
  'attempts',
] as const

/** What people wrote. What is answered keeps its id alone, so that it is known when it is delivered again. */
export function inbox({ query, dialect }: Database) {
  return {
    /** Its sequence number; nothing when it is known already. */
    async take(message: NewInboxMessage): Promise<number | undefined> {
      const row = await query
        .insertInto('inbox')
        .values({
          channel: message.channel,
          account: message.account,
          message_id: message.messageId,
          conversation: message.conversation,
          message: JSON.stringify(message.message),
          state: 'waiting',
          owner: message.owner,
          attempts: 0,
          created_at: dialect.now,
        })
        .onConflict((on) => on.doNothing())
        .returning('seq')
        .executeTakeFirst()
      return row?.seq
    },

    /** Whether this process may begin with it now: it is its own, and not answered. Counts the attempt. */
    async begin(seq: number, owner: string): Promise<boolean> {
      const begun = await query
        .updateTable('inbox')
        .set((e) => ({ state: 'running', attempts: e('attempts', '+', 1) }))
        .where('seq', '=', seq)
        .where('owner', '=', owner)
        .where('state', '!=', 'done')
        .returning('seq')
        .executeTakeFirst()
      return begun !== undefined
    },

    async finish(seq: number): Promise<void> {
      await query.updateTable('inbox').set({ state: 'done', message: null }).where('seq', '=', seq).execute()
    },

    /** What a process has to answer still, oldest first. */
    async unanswered(owner: string, after = 0): Promise<readonly InboxRow[]> {
      const rows = await query
        .selectFrom('inbox')
        .select(COLUMNS)
        .where('state', '!=', 'done')
        .where('owner', '=', owner)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(500)
        .execute()
      return rows.map((row) => ({ ...row, message: JSON.parse(row.message ?? 'null') as Json }))
    },

    /** Makes the unanswered messages of an account this process's own. Returns how many there were. */
    async adopt(channel: string, account: string, owner: string): Promise<number> {
      const adopted = await query
        .updateTable('inbox')
        .set({ owner })
        .where('channel', '=', channel)
        .where('account', '=', account)
        .where('state', '!=', 'done')
        .where('owner', '!=', owner)
        .returning('seq')
        .execute()
      return adopted.length
    },

    /** The same for a channel that every process has, as far as no living process owns them. */
    async adoptOrphans(channel: string, owner: string): Promise<number> {
      const living = query.selectFrom('leases').select('holder').where('expires_at', '>', dialect.now)
      const adopted = await query
        .updateTable('inbox')
        .set({ owner })
        .where('channel', '=', channel)
        .where('state', '!=', 'done')
        .where('owner', '!=', owner)
        .where('owner', 'not in', living)
        .returning('seq')
        .execute()
      return adopted.length
    },

    /** Forgets the ids of what was answered before `before` (ms). */
    async prune(before: number): Promise<void> {
      await query.deleteFrom('inbox').where('state', '=', 'done').where('created_at', '<', before).execute()
    },
  } as const
}
