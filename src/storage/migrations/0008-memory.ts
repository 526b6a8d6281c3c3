import type { CreateTableBuilder, Kysely } from 'kysely'
import type { Dialect } from '../dialect.ts'

/** Conversations, their summaries, facts about people, what models used, and the runs of schedules. */
export const memory = ({ serial }: Dialect) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    const table = (name: string) => db.schema.createTable(name)
    await columns(table('exchanges').addColumn('seq', serial), {
      conversation: 'text',
      agent_id: 'text',
      messages: 'text',
      created_at: 'bigint',
    }).execute()
    await columns(table('summaries'), {
      conversation: 'text',
      agent_id: 'text',
      summary: 'text',
      created_at: 'bigint',
    })
      .addPrimaryKeyConstraint('summaries_key', ['conversation', 'agent_id'])
      .execute()
    await columns(table('facts').addColumn('seq', serial), { person: 'text', fact: 'text', created_at: 'bigint' })
      .addUniqueConstraint('facts_once', ['person', 'fact'])
      .execute()
    await columns(table('model_usage'), {
      agent_id: 'text',
      conversation: 'text',
      day: 'text',
      calls: 'bigint',
      tokens: 'bigint',
      micro_usd: 'bigint',
    })
      .addPrimaryKeyConstraint('model_usage_key', ['agent_id', 'day', 'conversation'])
      .execute()
    await columns(table('schedule_runs'), {
      skill: 'text',
      slot: 'bigint',
      state: 'text',
      started_at: 'bigint',
      alive_at: 'bigint',
    })
      .addColumn('detail', 'text')
      .addColumn('ended_at', 'bigint')
      .addPrimaryKeyConstraint('schedule_runs_key', ['skill', 'slot'])
      .execute()
    await db.schema
      .createIndex('exchanges_by_conversation')
      .on('exchanges')
      .columns(['conversation', 'agent_id', 'seq'])
      .execute()
    await db.schema.createIndex('exchanges_by_age').on('exchanges').column('created_at').execute()
  },
})

function columns<names extends string>(
  table: CreateTableBuilder<string, names>,
  list: Readonly<Record<string, 'text' | 'bigint'>>,
): CreateTableBuilder<string, string> {
  return Object.entries(list).reduce<CreateTableBuilder<string, string>>(
    (built, [name, type]) => built.addColumn(name, type, (column) => column.notNull()),
    table as CreateTableBuilder<string, string>,
  )
}
