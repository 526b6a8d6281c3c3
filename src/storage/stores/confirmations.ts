import type { Database } from '../database.ts'
import type { Json } from '../json.ts'
import type { ConfirmationState } from '../tables.ts'

/** A question to a person about decided actions, and where it was asked. Past `expiresAt` (ms) it is worth nothing. */
export type NewConfirmation = Readonly<{
  id: string
  kind: 'execute' | 'review'
  steps: Json
  channel: string
  account: string
  conversation: string
  /** The one who may answer; for a review every owner may. */
  person: string
  expiresAt: number
}>

/** A question, and whether it was answered, by which message. */
export type Confirmation = NewConfirmation &
  Readonly<{ state: ConfirmationState; usedBy: string | null; isExpired: boolean }>

const COLUMNS = [
  'id',
  'kind',
  'steps',
  'channel',
  'account',
  'conversation',
  'person',
  'state',
  'used_by as usedBy',
  'expires_at as expiresAt',
] as const

/** Questions to people. Each is answered once. */
export function confirmations({ query, dialect, now }: Database) {
  const toConfirmation = async (row: Omit<Confirmation, 'steps' | 'isExpired'> & Readonly<{ steps: string }>) => ({
    ...row,
    steps: JSON.parse(row.steps) as Json,
    isExpired: row.expiresAt <= (await now()),
  })
  return {
    async insert({ expiresAt, steps, ...rest }: NewConfirmation): Promise<void> {
      await query
        .insertInto('confirmations')
        .values({
          ...rest,
          steps: JSON.stringify(steps),
          state: 'open',
          used_by: null,
          expires_at: expiresAt,
          created_at: dialect.now,
        })
        .execute()
    },

    async byId(id: string): Promise<Confirmation | undefined> {
      const row = await query.selectFrom('confirmations').select(COLUMNS).where('id', '=', id).executeTakeFirst()
      return row && toConfirmation(row)
    },

    /** The newest open one that a person was asked in a conversation. */
    async latestOpen(channel: string, conversation: string, person: string): Promise<Confirmation | undefined> {
      const row = await query
        .selectFrom('confirmations')
        .select(COLUMNS)
        .where('channel', '=', channel)
        .where('conversation', '=', conversation)
        .where('person', '=', person)
        .where('kind', '=', 'execute')
        .where('state', '=', 'open')
        .where('expires_at', '>', dialect.now)
        .orderBy('created_at', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && toConfirmation(row)
    },

    /** Whether this answer is the one that counts: of several at once, one is. The same message may say it again. */
    async answer(id: string, to: Exclude<ConfirmationState, 'open'>, usedBy: string): Promise<boolean> {
      const answered = await query
        .updateTable('confirmations')
        .set({ state: to, used_by: usedBy })
        .where('id', '=', id)
        .where((e) =>
          e.or([
            e.and([e('state', '=', 'open'), e('expires_at', '>', dialect.now)]),
            e.and([e('state', '=', to), e('used_by', '=', usedBy)]),
          ]),
        )
        .returning('id')
        .executeTakeFirst()
      return answered !== undefined
    },

    async prune(before: number): Promise<void> {
      await query.deleteFrom('confirmations').where('expires_at', '<', before).execute()
    },
  } as const
}
