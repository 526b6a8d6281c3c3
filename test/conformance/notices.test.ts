// Processes of one PostgreSQL database tell each other what has changed.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openStorage, type Storage } from '../../src/storage/index.ts'
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

  it('is done without by a server that knows no LISTEN, and takes up no more connections for it each time', async () => {
    const { hostname, port } = new URL(url)
    const open = new Set<Socket>()
    const tried: number[] = []
    const enough = Promise.withResolvers<void>()
    const line = createServer((near) => {
      const far = connect(Number(port), hostname)
      open.add(near)
      near.on('data', (data) => {
        const text = data.toString('latin1')
        if (text.includes('listen countersign') && tried.push(open.size) === 3) enough.resolve()
        far.write(Buffer.from(text.replace('listen countersign', 'lessen countersign'), 'latin1'))
      })
      far.on('data', (data) => near.write(data))
      near.on('error', () => {}).on('close', () => open.delete(near) && far.destroy())
      far.on('error', () => {}).on('close', () => near.destroy())
    }).listen(0, '127.0.0.1')
    await once(line, 'listening')
    const address = line.address()
    assert.ok(typeof address === 'object' && address !== null)
    const through = new URL(url)
    through.host = `127.0.0.1:${address.port}`
    const third = await openStorage({ url: through.href, poolSize: 1 })
    await third.heard('a', 1)
    await enough.promise
    await third.close()
    line.close()
    assert.ok((tried.at(-1) ?? 0) <= 3, `so many connections each time: ${tried}`)
  })
})
