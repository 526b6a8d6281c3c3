// What is sent and not waited for: in its order, in its transaction, and never as if it had not failed.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { CountersignError } from '../../src/lib/errors.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { newAgent, newTransaction, randomHex, transactionOf } from '../storage/fixtures.ts'
import { alteredLine } from '../support/altered-line.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

let server: TestPostgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

const DATABASES = { 'SQLite in memory': async () => undefined, PostgreSQL: () => server.createDatabase() } as const

const code = (expected: string) => (thrown: unknown) => thrown instanceof CountersignError && thrown.code === expected

for (const [name, urlOf] of Object.entries(DATABASES))
  describe(`sent ahead on ${name}`, () => {
    let storage: Storage
    before(async () => {
      storage = await openStorage({ url: await urlOf() })
    })
    after(() => storage.close())
    const rows = async () => (await storage.stores.audit.list({ limit: 100 })).items.length

    it('fails the transaction with its own fault, and undoes all of it', async () => {
      const { requestHash, wallet } = await newTransaction(storage)
      const hold = { requestHash, wallet, microUsd: 1n, expiresAt: (await storage.now()) + 60_000 }
      const before = await rows()
      const twice = storage.transaction(async ({ holds, audit }) => {
        const head = await audit.head()
        await audit.appendTo(head, [{ kind: 'x', subject: 'y', payload: {} }])
        await holds.take(hold)
        await holds.take(hold)
      })
      await assert.rejects(twice, code('conflict'))
      assert.equal(await rows(), before)
      assert.equal(await storage.stores.holds.outflowSince(wallet, 0), 0n)
    })

    it('fails what follows it in the transaction', async () => {
      const { agentId, wallet } = await newAgent(storage)
      const stray = transactionOf('nobody', wallet)
      const work = storage.transaction(async ({ transactions }) => {
        const createdAt = await storage.now()
        await transactions.insertAll([stray], { createdAt, leaseUntil: createdAt })
        return transactions.byRequestHash(stray.requestHash)
      })
      await assert.rejects(work, code('conflict'))
      const next = transactionOf(agentId, wallet)
      const found = await storage.transaction(async ({ transactions }) => {
        const createdAt = await storage.now()
        await transactions.insertAll([next], { createdAt, leaseUntil: createdAt })
        return transactions.byRequestHash(next.requestHash)
      })
      assert.equal(found?.requestHash, next.requestHash, 'the connection works on')
    })

    it('is waited for where the driver itself may refuse it, and nothing of its transaction is kept', async () => {
      const before = await rows()
      const { wallet } = await newAgent(storage)
      const toText = () => {
        throw new RangeError('No text.')
      }
      const broken: unknown = { toString: toText, toJSON: toText, toPostgres: toText }
      const work = storage.transaction(async ({ transactions, audit }) => {
        const head = await audit.head()
        const one = transactionOf('nobody', wallet, { description: broken as string })
        await transactions.insertAll([one], { createdAt: head.now, leaseUntil: head.now })
        await audit.appendTo(head, [{ kind: 'x', subject: 'y', payload: {} }])
      })
      await assert.rejects(work)
      assert.equal(await rows(), before)
    })

    it('is undone with what throws', async () => {
      const before = await rows()
      const thrown = new RangeError('No.')
      const work = storage.transaction(async ({ audit }) => {
        await audit.appendTo(await audit.head(), [{ kind: 'x', subject: 'y', payload: {} }])
        throw thrown
      })
      await assert.rejects(work, thrown)
      assert.equal(await rows(), before)
    })

    it('lets a lock be waited for: what is read behind it is what was committed before', async () => {
      const { wallet } = await newAgent(storage)
      const requests = await Promise.all(Array.from({ length: 12 }, () => newTransactionOf(wallet)))
      const expiresAt = (await storage.now()) + 60_000
      const sums = await Promise.all(
        requests.map(({ requestHash }) =>
          storage.transaction(async ({ holds }) => {
            const { outflow } = await holds.standing(wallet, 86_400_000)
            await holds.take({ requestHash, wallet, microUsd: 1n, expiresAt })
            return Number(outflow)
          }),
        ),
      )
      assert.deepEqual(
        sums.toSorted((a, b) => a - b),
        requests.map((_, i) => i),
      )
    })

    async function newTransactionOf(wallet: Awaited<ReturnType<typeof newAgent>>['wallet']) {
      const { agentId } = await newAgent(storage)
      return storage.stores.transactions.insert(transactionOf(agentId, wallet))
    }
  })

describe('a transaction that does not begin', () => {
  it('keeps nothing of what follows, not even what is sent with its beginning', async (t) => {
    const state = { spoils: false }
    const line = await alteredLine(await server.createDatabase(), (asked) =>
      state.spoils ? asked.replace('start transaction', 'stall transaction') : asked,
    )
    const storage = await openStorage({ url: line.url })
    t.after(async () => {
      await storage.close()
      line.close()
    })
    const { requestHash, wallet } = await newTransaction(storage)
    await storage.stores.holds.take({ requestHash, wallet, microUsd: 1n, expiresAt: 2 ** 45 })
    const key = randomHex(8)
    state.spoils = true
    await assert.rejects(storage.stores.holds.settle(requestHash, 'posted'), code('unavailable'))
    await assert.rejects(
      storage.transaction(({ settings }) => settings.put(key, 'x')),
      code('unavailable'),
    )
    await assert.rejects(
      storage.transaction(({ undecided }) => undecided.decide([requestHash], 'APPROVED')),
      CountersignError,
    )
    await assert.rejects(
      storage.transaction(async () => undefined),
      code('unavailable'),
    )
    state.spoils = false
    assert.equal((await storage.stores.transactions.byRequestHash(requestHash))?.status, 'PENDING')
    assert.equal(await storage.stores.settings.get(key), undefined)
    assert.equal(await storage.stores.holds.settle(requestHash, 'posted'), true)
    assert.equal(await storage.stores.holds.outflowSince(wallet, 0), 1n)
  })
})
