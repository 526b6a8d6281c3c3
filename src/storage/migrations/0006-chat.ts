import { type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

type Columns = Readonly<Record<string, 'text' | 'bigint' | 'text?' | 'bigint?'>>

/** What people wrote and are told, who may write, what waits for their word, leases, and the kill switch. */
export const chat = ({ serial }: Dialect) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    const table = (name: string, columns: Columns) => withColumns(db.schema.createTable(name), columns)
    await withColumns(db.schema.createTable('inbox').addColumn('seq', serial), INBOX)
      .addUniqueConstraint('inbox_message', ['channel', 'account', 'message_id'])
      .execute()
    await table('outbox', OUTBOX).addPrimaryKeyConstraint('outbox_key', ['key']).execute()
    await table('confirmations', CONFIRMATIONS).addPrimaryKeyConstraint('confirmations_key', ['id']).execute()
    await table('pairings', PAIRINGS)
      .addPrimaryKeyConstraint('pairings_key', ['channel', 'account', 'sender'])
      .execute()
    await table('leases', { name: 'text', holder: 'text', expires_at: 'bigint' })
      .addPrimaryKeyConstraint('leases_key', ['name'])
      .execute()
    await table('bookmarks', { channel: 'text', account: 'text', conversation: 'text', last_id: 'text' })
      .addPrimaryKeyConstraint('bookmarks_key', ['channel', 'account', 'conversation'])
      .execute()
    await table('switches', { name: 'text', thrown_by: 'text?', thrown_at: 'bigint?' })
      .addPrimaryKeyConstraint('switches_key', ['name'])
      .execute()
    // Always there, so that there is a row to lock.
    await sql`insert into switches (name) values ('signing')`.execute(db)
    await db.schema.createIndex('inbox_by_state').on('inbox').columns(['state', 'owner', 'seq']).execute()
    await db.schema.createIndex('outbox_by_turn').on('outbox').column('turn').execute()
    await db.schema.createIndex('confirmations_by_place').on('confirmations').columns(['conversation']).execute()
  },
})

function withColumns(table: CreateTableBuilder<string>, columns: Columns): CreateTableBuilder<string, string> {
  return Object.entries(columns).reduce<CreateTableBuilder<string, string>>((built, [name, type]) => {
    const isText = type.startsWith('text')
    return built.addColumn(name, isText ? 'text' : 'bigint', (column) =>
      type.endsWith('?') ? column : column.notNull(),
    )
  }, table)
}

const INBOX: Columns = {
  channel: 'text',
  account: 'text',
  message_id: 'text',
  conversation: 'text',
  message: 'text?',
  state: 'text',
  owner: 'text',
  attempts: 'bigint',
  created_at: 'bigint',
}
const OUTBOX: Columns = {
  key: 'text',
  turn: 'bigint?',
  channel: 'text',
  account: 'text',
  conversation: 'text',
  body: 'text',
  state: 'text',
  platform_id: 'text?',
  created_at: 'bigint',
}
const CONFIRMATIONS: Columns = {
  id: 'text',
  kind: 'text',
  steps: 'text',
  channel: 'text',
  account: 'text',
  conversation: 'text',
  person: 'text',
  state: 'text',
  used_by: 'text?',
  expires_at: 'bigint',
  created_at: 'bigint',
}
const PAIRINGS: Columns = {
  channel: 'text',
  account: 'text',
  sender: 'text',
  code: 'text',
  approved_by: 'text?',
  expires_at: 'bigint',
  created_at: 'bigint',
}
