// In which order transactions take their locks: none waits for one that waits for it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { endOrder } from '../../src/harness/order-follower.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { newAgent, transactionOf } from '../storage/fixtures.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

describe('two transactions at once', () => {
  let server: TestPostgres
  let url: string
  let storage: Storage
  before(async () => {
    server = await startPostgres()
    url = await server.createDatabase()
    storage = await openStorage({ url })
  })
  after(async () => {
    await storage.close()
    await server.stop()
  })

  /** Until so many transactions wait for a lock. */
  async function waiting(count: number): Promise<void> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const asked = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    while ((await client.query(asked)).rowCount !== count) await sleep(20)
    await client.end()
  }

  it('of one wallet, of which one ends an order and one was mined, both end', async () => {
    const { agentId, wallet } = await newAgent(storage)
    const expiresAt = (await storage.now()) + 60_000
    const submitted = async () => {
      const { requestHash } = await storage.stores.transactions.insert(transactionOf(agentId, wallet))
      await storage.stores.holds.take({ requestHash, wallet, microUsd: 1n, expiresAt })
      return requestHash
    }
    const [mined, ordered] = [await submitted(), await submitted()]
    const order = { requestHash: ordered, leg: 0, venue: 'hyperliquid', account: wallet, key: '0x1' }
    await storage.stores.venueOrders.follow({ ...order, placeableUntil: 2 ** 45 })
    const reached = Promise.withResolvers<void>()
    const first = storage.transaction(async ({ holds, audit }) => {
      await holds.settle(mined, 'posted')
      reached.resolve()
      // The other is about to count to the same minute of the wallet.
      await waiting(1)
      await audit.append({ kind: 'execution.mined', subject: mined, payload: {} })
    })
    await reached.promise
    const second = endOrder({ requestHash: ordered, leg: 0 }, 'filled', true, storage)
    assert.deepEqual(await Promise.all([first, second]), [undefined, true])
    assert.equal(await storage.stores.holds.outflowSince(wallet, 0), 2n)
  })
})
