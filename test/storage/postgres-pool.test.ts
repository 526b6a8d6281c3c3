import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openStorage } from '../../src/storage/index.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { newAgent, randomHex } from './fixtures.ts'

describe('connections to a server', () => {
  let server: TestPostgres
  let url: string
  let other: pg.Client
  before(async () => {
    server = await startPostgres()
    url = await server.createDatabase()
    other = new pg.Client({ connectionString: url })
    await other.connect()
  })
  after(async () => {
    await other.end()
    await server.stop()
  })

  it('are not cut off where one waits for a lock and the server has none left to be asked on', async () => {
    const role = `few_${randomHex(4).slice(2)}`
    await other.query(`create role ${role} login password 'few' connection limit 1`)
    await other.query(`grant all on schema public to ${role}`)
    const own = new URL(url)
    own.username = role
    own.password = 'few'
    const storage = await openStorage({ url: own.href, poolSize: 1 })
    const { wallet } = await newAgent(storage)
    await other.query('begin')
    await other.query('select 1 from wallets for update')
    const locked = storage.transaction(({ wallets }) => wallets.lock(wallet))
    // Longer than it takes to suspect the server, and to ask it.
    const first = await Promise.race([locked.then(() => 'locked'), sleep(1_500, 'waits')])
    assert.equal(first, 'waits')
    await other.query('commit')
    await locked
    await storage.close()
    await other.query(`drop owned by ${role}`)
    await other.query(`drop role ${role}`)
  })

  it('keep few statements prepared: what changes from call to call is no part of their text', async () => {
    const storage = await openStorage({ url, poolSize: 1 })
    const asked =
      "select query from pg_stat_activity where application_name = 'countersign' and datname = current_database()"
    const { wallet } = await newAgent(storage)
    const texts = new Set<unknown>()
    for (const since of [1_700_000_000_000, 1_700_000_000_001, 1_800_000_000_000]) {
      await storage.stores.holds.outflowSince(wallet, since)
      texts.add(JSON.stringify((await other.query(asked)).rows))
    }
    assert.equal(texts.size, 1, [...texts].join('\n'))
    await storage.close()
  })
})
