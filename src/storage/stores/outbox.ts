import type { Database } from '../database.ts'
import type { Json } from '../json.ts'
import type { OutboxState } from '../tables.ts'

/** A message to people, by a key that is the same however often it is tried. */
export type OutboxRow = Readonly<{
  key: string
  /** The inbox row that it answers, if one. */
  turn: number | null
  channel: string
  account: string
  conversation: string
  body: Json
  state: OutboxState
  platformId: string | null
}>

const COLUMNS = [
  'key',
  'turn',
  'channel',
  'account',
  'conversation',
  'body',
  'state',
  'platform_id as platformId',
] as const

/** What goes out: written down before it leaves, so that a crash neither loses it nor sends it twice unseen. */
export function outbox({ query, dialect }: Database) {
  return {
    /** Keeps a message, or what takes its place under the same key. Its platform's id stays. */
    async put({
      key,
      turn,
      channel,
      account,
      conversation,
      body,
      state,
    }: Omit<OutboxRow, 'platformId'>): Promise<void> {
      const text = JSON.stringify(body)
      await query
        .insertInto('outbox')
        .values({
          key,
          turn,
          channel,
          account,
          conversation,
          body: text,
          state,
          platform_id: null,
          created_at: dialect.now,
        })
        .onConflict((on) => on.column('key').doUpdateSet({ body: text, state }))
        .execute()
    },

    async mark(key: string, state: OutboxState, platformId?: string): Promise<void> {
      const id = platformId === undefined ? {} : { platform_id: platformId }
      await query
        .updateTable('outbox')
        .set({ state, ...id })
        .where('key', '=', key)
        .execute()
    },

    /** All of a turn, by their keys. */
    async ofTurn(turn: number): Promise<readonly OutboxRow[]> {
      const rows = await query.selectFrom('outbox').select(COLUMNS).where('turn', '=', turn).orderBy('key').execute()
      return rows.map(toRow)
    },

    /** What was neither delivered nor given up and belongs to no turn that is still to be answered, oldest first. */
    async undelivered(channel: string, account: string): Promise<readonly OutboxRow[]> {
      const running = query.selectFrom('inbox').select('seq').where('state', '!=', 'done')
      const rows = await query
        .selectFrom('outbox')
        .select(COLUMNS)
        .where('channel', '=', channel)
        .where('account', '=', account)
        .where('state', 'in', ['waiting', 'sending'])
        .where((e) => e.or([e('turn', 'is', null), e('turn', 'not in', running)]))
        .orderBy('created_at')
        .orderBy('key')
        .limit(500)
        .execute()
      return rows.map(toRow)
    },

    /** Forgets a turn's messages, once all of them are delivered or given up. */
    async forget(turn: number): Promise<void> {
      await query.deleteFrom('outbox').where('turn', '=', turn).where('state', 'in', ['sent', 'failed']).execute()
    },

    async remove(key: string): Promise<void> {
      await query.deleteFrom('outbox').where('key', '=', key).execute()
    },
  } as const
}

function toRow(row: Omit<OutboxRow, 'body'> & Readonly<{ body: string }>): OutboxRow {
  return { ...row, body: JSON.parse(row.body) as Json }
}
