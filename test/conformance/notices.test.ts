// Processes of one PostgreSQL database tell each other what has changed.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { alteredLine } from '../support/altered-line.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

/** Longer than the test may run: who is woken by nothing but the time fails it. */
const NEVER_MS = 600_000

describe('a notice between processes', () => {
  let server: TestPostgres
  let url: string
  let one: Storage
  let other: Storage
  before(async () => {
    server = await startPostgres()
    url = await server.createDatabase()
    one = await openStorage({ url })
    other = await openStorage({ url })
  })
  after(async () => {
    await one.close()
    await other.close()
    await server.stop()
  })

  /** Tells again and again: who begins to listen may not hear the first. */
  async function tellUntil(heard: Promise<unknown>, topics: readonly string[]): Promise<void> {
    const done = heard.then(() => true)
    while (!(await Promise.race([done, sleep(50, false)]))) one.notify(topics)
  }

  it('wakes whoever waits for it in another', async () => {
    await tellUntil(other.heard('a', NEVER_MS), ['b', 'a', 'c'])
  })

  it('wakes many by one, more than one message holds', async () => {
    const topics = Array.from({ length: 300 }, (_, i) => `0x${String(i).padStart(64, '0')}`)
    await tellUntil(Promise.all(topics.map((topic) => other.heard(topic, NEVER_MS))), topics)
  })

  it('wakes again after the connection that listens was ended', async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rowCount } = await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database()",
    )
    await client.end()
    assert.ok(rowCount)
    await tellUntil(other.heard('again', NEVER_MS), ['again'])
  })

  it('is done without by a server that knows no LISTEN, and takes up no more connections for it each time', async (t) => {
    const tried: number[] = []
    const enough = Promise.withResolvers<void>()
    const line = await alteredLine(url, (asked) => {
      if (asked.includes('listen countersign') && tried.push(line.open()) === 3) enough.resolve()
      return asked.replace('listen countersign', 'lessen countersign')
    })
    const third = await openStorage({ url: line.url, poolSize: 1 })
    t.after(async () => {
      await third.close()
      line.close()
    })
    await third.heard('a', 1)
    await enough.promise
    assert.ok((tried.at(-1) ?? 0) <= 3, `so many connections each time: ${tried.join()}`)
  })
})
