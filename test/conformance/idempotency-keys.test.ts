// For how long a repeated request is known for one, on both databases.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { newAgent, randomHex, transactionOf } from '../storage/fixtures.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

const DAY_MS = 86_400_000

let server: TestPostgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

type Aged = Readonly<{ storage: Storage; dayLater(): Promise<unknown> }>

const DATABASES = {
  async 'SQLite in memory'(): Promise<Aged> {
    const time = { now: 1_800_000_000_000 }
    const storage = await openStorage({ url: undefined, clock: () => time.now })
    return {
      storage,
      async dayLater() {
        time.now += DAY_MS
      },
    }
  },
  async PostgreSQL(): Promise<Aged> {
    const url = await server.createDatabase()
    const storage = await openStorage({ url })
    return {
      storage,
      async dayLater() {
        const client = new pg.Client({ connectionString: url })
        await client.connect()
        await client.query('update idempotency_keys set created_at = created_at - $1', [DAY_MS])
        await client.end()
      },
    }
  },
} as const

for (const [name, open] of Object.entries(DATABASES))
  describe(`an idempotency key on ${name}`, () => {
    let aged: Aged
    before(async () => {
      aged = await open()
    })
    after(() => aged.storage.close())

    it('lives for a day, and for as long as its submission is undecided or holds anything', async () => {
      const { stores } = aged.storage
      const { appId, agentId } = await stores.integrators.create('Partner')
      const { wallet } = await newAgent(aged.storage)
      const used = async (key: string) => {
        const { requestHash } = await stores.transactions.insert(transactionOf(agentId, wallet))
        const scope = { appId, operation: 'verifications', key }
        assert.equal(await stores.idempotencyKeys.claim(scope, { bodyDigest: randomHex(32), requestHash }), true)
        return { requestHash, scope }
      }
      const known = async (list: readonly Awaited<ReturnType<typeof used>>[]) =>
        Promise.all(list.map(async ({ scope }) => (await stores.idempotencyKeys.get(scope)) !== undefined))
      const [rejected, held, undecided] = [await used('rejected'), await used('held'), await used('undecided')]
      await stores.transactions.move(rejected.requestHash, ['PENDING'], 'REJECTED')
      await stores.transactions.move(held.requestHash, ['PENDING'], 'APPROVED')
      const hold = { wallet, microUsd: 1n, expiresAt: Number.MAX_SAFE_INTEGER }
      await stores.holds.take({ ...hold, requestHash: held.requestHash })
      assert.equal(await stores.idempotencyKeys.forget(), 0)
      await aged.dayLater()
      assert.equal(await stores.idempotencyKeys.forget(), 1)
      assert.deepEqual(await known([rejected, held, undecided]), [false, true, true])
      // A person approves it only now: the hold is taken under the same key.
      await stores.transactions.move(undecided.requestHash, ['PENDING'], 'APPROVED')
      await stores.holds.take({ ...hold, requestHash: undecided.requestHash })
      await stores.holds.settle(held.requestHash, 'voided')
      assert.equal(await stores.idempotencyKeys.forget(), 1)
      assert.deepEqual(await known([held, undecided]), [false, true])
    })
  })
