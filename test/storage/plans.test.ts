// What is asked again and again goes by an index, however long the history is.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type CompiledQuery, Kysely } from 'kysely'
import type { Database } from '../../src/storage/database.ts'
import { sqlite } from '../../src/storage/dialects/sqlite.ts'
import { migrate } from '../../src/storage/migrations.ts'
import { createStores, type Stores } from '../../src/storage/stores.ts'
import type { Tables } from '../../src/storage/tables.ts'
import { randomAddress, randomHex } from './fixtures.ts'

const DAY_MS = 86_400_000
const wallet = randomAddress()
const requestHash = randomHex(32)
const page = { limit: 20, cursor: '1000000' }

const ASKED: Readonly<Record<string, (stores: Stores) => Promise<unknown>>> = {
  "an agent's submissions": ({ transactions }) => transactions.list({ ...page, agentId: 'agent' }),
  "a wallet's submissions": ({ transactions }) => transactions.list({ ...page, wallet, chainId: null }),
  "a wallet's submissions on a chain": ({ transactions }) => transactions.list({ ...page, wallet, chainId: 1 }),
  'all submissions': ({ transactions }) => transactions.list(page),
  'a submission by its id': ({ transactions }) => transactions.byId('id'),
  'what is undecided': ({ undecided }) => undecided.takeUp(100, 1_000),
  'how much is undecided': ({ undecided }) => undecided.count(),
  'a verdict': ({ verdicts }) => verdicts.byRequestHash(requestHash),
  'what else is approved for a wallet': ({ approvals }) => approvals.standing(wallet, { since: 1_000, limit: 500 }),
  "an agent's newest verdict": ({ verdicts }) => verdicts.latestOf('agent'),
  'decisions in their order': ({ verdicts }) => verdicts.recorded({ wallet, after: 1_000, limit: 500 }),
  'what left a wallet': ({ holds }) => holds.outflowSince(wallet, 1_700_000_000_000),
  'what a decision rests on': ({ holds }) => holds.standing(wallet, DAY_MS).catch(() => undefined),
  'what runs out': ({ holds }) => holds.expireDue(0),
  'what is held': ({ holds }) => holds.inForce(),
  'transactions that are not final': ({ executions }) => executions.unfinished(),
  'actions of venues that are not settled': ({ venueOrders }) => venueOrders.unsettledActions(),
  'the audit log': ({ audit }) => audit.list(page),
  'what is not counted yet': ({ activity }) => activity.countNext(500, () => []),
  'keys that had their time': ({ idempotencyKeys }) => idempotencyKeys.forget(),
  'minutes that had their time': ({ holds }) => holds.forgetMinutes(),
}

describe('a long history', () => {
  const asked: CompiledQuery[] = []
  const dialect = sqlite(undefined)
  const query = new Kysely<Tables>({ dialect: dialect.kysely, log: (event) => void asked.push(event.query) })
  const database: Database = {
    query,
    dialect,
    atomically: (work) => work(database),
    ahead: async (statement) => void (await query.executeQuery(statement.compile())),
    now: async () => 0,
  }
  const stores = createStores(database)
  before(() => migrate(query, dialect))
  after(() => query.destroy())

  /** How each statement that is asked would be answered. */
  async function plansOf(ask: (stores: Stores) => Promise<unknown>): Promise<readonly (readonly string[])[]> {
    asked.length = 0
    await ask(stores)
    const statements = [...asked]
    const explained = statements.map(async (statement) => {
      const explain = { ...statement, sql: `explain query plan ${statement.sql}` }
      return (await query.executeQuery<{ detail: string }>(explain)).rows.map(({ detail }) => detail)
    })
    return Promise.all(explained)
  }

  for (const [what, ask] of Object.entries(ASKED))
    it(`is searched and not read through for ${what}`, async () => {
      const plans = await plansOf(ask)
      assert.ok(plans.length > 0)
      for (const plan of plans) {
        assert.ok(plan.length > 0)
        const readThrough = plan.filter((line) => /^SCAN (?!CONSTANT ROW|LIST SUBQUERY)/.test(line))
        assert.deepEqual(readThrough, [], plan.join('\n'))
      }
    })

  it("has a wallet's submissions in their order, one beside the other", async () => {
    const plans = await plansOf(({ transactions }) => transactions.list({ ...page, wallet, chainId: 1 }))
    assert.deepEqual(plans, [['SEARCH transactions USING INDEX transactions_by_wallet (wallet=? AND seq<?)']])
  })
})
