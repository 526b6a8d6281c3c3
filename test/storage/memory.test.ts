import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

let server: TestPostgres
describe('the stores of memory', () => {
  before(async () => {
    server = await startPostgres()
  })
  after(() => server.stop())

  const DATABASES = { SQLite: async () => undefined, PostgreSQL: () => server.createDatabase() } as const

  for (const [name, urlOf] of Object.entries(DATABASES)) {
    describe(name, () => {
      let storage: Storage
      before(async () => {
        storage = await openStorage({ url: await urlOf() })
      })
      after(() => storage.close())

      it('keeps exchanges in their order, each conversation and agent apart', async () => {
        const { histories } = storage.stores
        for (const text of ['one', 'two', 'three']) await histories.append('c', 'a', text)
        await histories.append('c', 'b', 'other')
        const { exchanges, summary } = await histories.read('c', 'a')
        assert.deepEqual(
          exchanges.map(({ messages }) => messages),
          ['one', 'two', 'three'],
        )
        assert.equal(summary, undefined)
        await histories.summarise('c', 'a', { summary: 'first', upTo: exchanges[1]?.seq ?? 0 })
        const left = await histories.read('c', 'a')
        assert.deepEqual([left.summary, left.exchanges.length], ['first', 1])
        await histories.summarise('c', 'a', { summary: 'second', upTo: 0 })
        assert.equal((await histories.read('c', 'a')).summary, 'second')
        assert.equal((await histories.read('c', 'b')).exchanges.length, 1)
        await histories.clear('c')
        assert.deepEqual(await histories.read('c', 'a'), { summary: undefined, exchanges: [] })
        assert.deepEqual(await histories.read('c', 'b'), { summary: undefined, exchanges: [] })
      })

      it('forgets what is older than a moment', async () => {
        const { histories } = storage.stores
        await histories.append('old', 'a', 'x')
        await histories.forgetBefore((await storage.now()) - 60_000)
        assert.equal((await histories.read('old', 'a')).exchanges.length, 1)
        await histories.forgetBefore((await storage.now()) + 60_000)
        assert.equal((await histories.read('old', 'a')).exchanges.length, 0)
      })

      it("keeps each person's facts apart, once each, up to the most", async () => {
        const { facts } = storage.stores
        assert.deepEqual(await Promise.all(['x', 'x', 'y'].map((fact) => facts.add('p', fact, 2))), [true, true, true])
        assert.equal(await facts.add('p', 'z', 2), false)
        const [first] = await facts.of('p')
        assert.ok(first)
        assert.equal(await facts.remove('q', first.seq), false, "another person's fact stays")
        assert.equal(await facts.remove('p', first.seq), true)
        assert.equal((await facts.of('p')).length, 1)
        assert.equal(await facts.removeAll('p'), 1)
        assert.deepEqual(await facts.of('p'), [])
      })

      it('adds up what models used, by conversation and day', async () => {
        const { modelUsage } = storage.stores
        await Promise.all(
          Array.from({ length: 20 }, (_, i) => modelUsage.add('a', `c${i % 2}`, { tokens: 10, microUsd: 3 })),
        )
        assert.deepEqual(await modelUsage.today('a', 'c0'), {
          day: { tokens: 200, microUsd: 60 },
          chat: { tokens: 100, microUsd: 30 },
        })
        assert.deepEqual((await modelUsage.today('b', 'c0')).day, { tokens: 0, microUsd: 0 })
        await modelUsage.forgetBefore((await storage.now()) + 2 * 86_400_000)
        assert.equal((await modelUsage.today('a', 'c0')).day.tokens, 0)
      })

      it('gives a slot to one of many, and skips while a run goes on', async () => {
        const { scheduleRuns } = storage.stores
        const claims = await Promise.all(Array.from({ length: 8 }, () => scheduleRuns.claim('s', 1_000, 60_000)))
        assert.deepEqual(
          [claims.filter((c) => c === 'running').length, claims.filter((c) => c === 'taken').length],
          [1, 7],
        )
        assert.equal(await scheduleRuns.claim('s', 2_000, 60_000), 'skipped')
        await scheduleRuns.finish('s', 1_000, 'done', null)
        assert.equal(await scheduleRuns.claim('s', 3_000, 60_000), 'running')
        assert.deepEqual([await scheduleRuns.touch('s', 3_000), await scheduleRuns.touch('s', 1_000)], [true, false])
        const future = (await storage.now()) + 60_000
        assert.equal(await scheduleRuns.claim('s', 4_000, -1_000), 'running', 'a lost run holds up nothing')
        const states = (await scheduleRuns.recent('s', 10)).map(({ slot, state }) => [slot, state])
        assert.deepEqual(states, [
          [4_000, 'running'],
          [3_000, 'failed'],
          [2_000, 'skipped'],
          [1_000, 'done'],
        ])
        assert.equal(await scheduleRuns.lastSlot('s'), 4_000)
        await scheduleRuns.finish('s', 4_000, 'done', null)
        await scheduleRuns.forgetBefore(future)
        assert.deepEqual(
          (await scheduleRuns.recent('s', 10)).map(({ slot }) => slot),
          [4_000],
        )
      })
    })
  }
})
