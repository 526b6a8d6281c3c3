import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createScheduler, nextSlots, type RunOutcome, type SchedulerSettings } from '../../src/harness/scheduler.ts'
import type { Skill, SkillSchedule } from '../../src/harness/skill-file.ts'
import { noSkills } from '../../src/harness/skills.ts'
import { silentLog } from '../../src/lib/log.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { volume } from '../support/volume.ts'

const MINUTE = 60_000
const START = Date.parse('2026-11-20T12:00:00Z')

function scheduled(name: string, change: Partial<SkillSchedule> = {}): Skill {
  const schedule = { cron: '* * * * *', timeZone: 'UTC', catchUp: false, jitterSeconds: 0, agent: undefined, ...change }
  return { name, description: 'x', tags: [], body: 'Do it.', allowedTools: undefined, schedule }
}

type Given = Readonly<{ storage: Storage; skills: () => readonly Skill[]; clock: { now: number } }> &
  Partial<Pick<SchedulerSettings, 'run'>>

/** A scheduler whose time a test moves; what it ran and what the owner was told. */
function schedulerOf({ storage, skills, clock, run }: Given) {
  const ran: string[] = []
  const told: string[] = []
  const scheduler = createScheduler({
    skills: { ...noSkills, list: skills },
    runs: storage.stores.scheduleRuns,
    now: async () => clock.now,
    async run(skill, slot) {
      ran.push(`${skill.name} ${new Date(slot).toISOString().slice(11, 16)}`)
      return (await run?.(skill, slot)) ?? { ok: true }
    },
    notice: async (text) => void told.push(text),
    log: silentLog,
  })
  return { ...scheduler, ran, told }
}

describe('schedules', () => {
  const world = async () => ({ storage: await openStorage({ url: undefined }), clock: { now: START + 1 } })

  test('each slot runs when it comes, and the sleep ends with the next', async () => {
    const { storage, clock } = await world()
    const one = schedulerOf({ storage, clock, skills: () => [scheduled('a', { cron: '*/5 * * * *' })] })
    assert.equal(await one.tick(), 60_000)
    clock.now = START + 4.5 * MINUTE
    assert.equal(await one.tick(), 30_000)
    clock.now = START + 5 * MINUTE + 3
    await one.tick()
    await one.tick()
    await one.stop()
    assert.deepEqual(one.ran, ['a 12:00', 'a 12:05'], 'the slot just before a start is not lost')
    const [last] = await storage.stores.scheduleRuns.recent('a', 1)
    assert.equal(last?.state, 'done')
  })

  test('what was missed is not run, except the newest where the schedule says so', async () => {
    for (const catchUp of [false, true]) {
      const { storage, clock } = await world()
      const skills = () => [scheduled('a', { cron: '*/10 * * * *', catchUp })]
      const first = schedulerOf({ storage, clock, skills })
      await first.tick()
      await first.stop()
      clock.now = START + 59 * MINUTE
      const second = schedulerOf({ storage, clock, skills })
      await second.tick()
      await second.stop()
      assert.deepEqual([first.ran, second.ran], [['a 12:00'], catchUp ? ['a 12:50'] : []])
    }
  })

  test('a schedule that is written while it runs begins with its next slot', async () => {
    const { storage, clock } = await world()
    let skills: readonly Skill[] = []
    const one = schedulerOf({ storage, clock, skills: () => skills })
    assert.equal(await one.tick(), 60_000)
    skills = [scheduled('a', { catchUp: true })]
    await one.tick()
    clock.now += MINUTE
    await one.tick()
    skills = [scheduled('a', { cron: '30 * * * *' })]
    clock.now += 10 * MINUTE
    await one.tick()
    skills = []
    clock.now = START + 30 * MINUTE
    await one.tick()
    await one.stop()
    assert.deepEqual(one.ran, ['a 12:01'])
  })

  test('a run that is not over lets the next slot out, and says so in the history', async () => {
    const { storage, clock } = await world()
    const over = Promise.withResolvers<RunOutcome>()
    const one = schedulerOf({ storage, clock, skills: () => [scheduled('a')], run: () => over.promise })
    await one.tick()
    clock.now += MINUTE
    await one.tick()
    over.resolve({ ok: true })
    await one.stop()
    const states = (await storage.stores.scheduleRuns.recent('a', 5)).map(({ state }) => state)
    assert.deepEqual([one.ran, states], [['a 12:00'], ['skipped', 'done']])
  })

  test('a run that fails is told to the owner, and never tried again', async () => {
    const { storage, clock } = await world()
    const one = schedulerOf({
      storage,
      clock,
      skills: () => [scheduled('a'), scheduled('b')],
      run: async ({ name }) => {
        if (name === 'a') throw new Error('The model is down.')
        return { ok: false, reason: 'No wallet.' }
      },
    })
    await one.tick()
    await one.stop()
    await one.tick()
    assert.deepEqual(one.told.sort(), [
      'The scheduled run of a failed: The model is down.',
      'The scheduled run of b failed: No wallet.',
    ])
    assert.equal(one.ran.length, 2)
    assert.equal((await storage.stores.scheduleRuns.recent('a', 1))[0]?.detail, 'The model is down.')
  })

  test('a store that does not answer loses nothing and doubles nothing', async () => {
    const { storage, clock } = await world()
    let down = true
    const { scheduleRuns } = storage.stores
    const failing = { ...storage, stores: { ...storage.stores, scheduleRuns: { ...scheduleRuns } } }
    failing.stores.scheduleRuns.claim = async (...args) => {
      if (down) throw new Error('down')
      return scheduleRuns.claim(...args)
    }
    const one = schedulerOf({ storage: failing, clock, skills: () => [scheduled('a')] })
    assert.equal(await one.tick(), 5_000)
    down = false
    clock.now += 5_000
    await one.tick()
    await one.stop()
    assert.deepEqual(one.ran, ['a 12:00'])
  })

  test('jitter is the same for all replicas, and within its bounds', async () => {
    const { storage, clock } = await world()
    const skills = () => [scheduled('a', { cron: '0 13 * * *', jitterSeconds: 600 })]
    const [one, two] = [schedulerOf({ storage, clock, skills }), schedulerOf({ storage, clock, skills })]
    const began: number[] = []
    for (clock.now = START; clock.now < START + 75 * MINUTE; clock.now += 10_000) {
      await one.tick()
      await two.tick()
      if (began.length < one.ran.length + two.ran.length) began.push(clock.now)
    }
    assert.equal(one.ran.length + two.ran.length, 1)
    assert.ok((began[0] ?? 0) >= START + 60 * MINUTE && (began[0] ?? 0) <= START + 70.2 * MINUTE)
  })

  test('no model, no run and no question to the store while nothing is scheduled', async () => {
    const clock = { now: START }
    const asked: string[] = []
    const storage = new Proxy({}, { get: (_target, name) => asked.push(String(name)) && {} }) as Storage
    const one = createScheduler({
      skills: noSkills,
      runs: storage.stores?.scheduleRuns,
      now: async () => (asked.push('now'), clock.now),
      run: async () => (asked.push('run'), { ok: true }),
      notice: async () => void asked.push('notice'),
      log: silentLog,
    })
    asked.length = 0
    for (; clock.now < START + 10 * MINUTE; clock.now += await one.tick());
    await one.stop()
    assert.deepEqual(asked, [])
  })
})

describe('daylight saving', () => {
  const slots = (cron: string, from: string, count: number) => {
    const schedule = { cron, timeZone: 'Europe/Berlin', catchUp: false, jitterSeconds: 0, agent: undefined }
    return nextSlots(schedule, Date.parse(from), count).map((slot) => new Date(slot).toISOString().slice(5, 16))
  }
  test('a time that is skipped comes right after the gap, on that day too', () => {
    assert.deepEqual(slots('30 2 * * *', '2027-03-27T00:00:00Z', 3), ['03-27T01:30', '03-28T01:00', '03-29T00:30'])
  })
  test('a time that comes twice runs once, in a list too', () => {
    assert.deepEqual(slots('30 2 * * *', '2027-10-30T00:00:00Z', 3), ['10-30T00:30', '10-31T00:30', '11-01T01:30'])
    assert.deepEqual(slots('0,30 2 * * *', '2027-10-30T12:00:00Z', 3), ['10-31T00:00', '10-31T00:30', '11-01T01:00'])
  })
  test('every hour stays every hour', () => {
    const hours = slots('0 * * * *', '2027-10-30T23:30:00Z', 4)
    assert.deepEqual(hours, ['10-31T00:00', '10-31T01:00', '10-31T02:00', '10-31T03:00'])
  })
})

describe('two replicas of one store', () => {
  let server: TestPostgres
  before(async () => {
    server = await startPostgres()
  })
  after(() => server.stop())

  test('run each slot once, over restarts in between', async () => {
    const url = await server.createDatabase()
    const storages = [await openStorage({ url, poolSize: 3 }), await openStorage({ url, poolSize: 3 })] as const
    const slotsWanted = volume(200, 1_000)
    const skills = () => [scheduled('every-minute'), scheduled('jittered', { jitterSeconds: 15 })]
    const clock = { now: START - 1 }
    const ran = new Map<string, number>()
    // A minute of this clock is shorter than a write to the store: a run is over before the next slot comes, or would be skipped.
    let atHand = 0
    const counted = ({ stores: { scheduleRuns } }: Storage): SchedulerSettings['runs'] => ({
      ...scheduleRuns,
      async claim(...slot) {
        const claimed = await scheduleRuns.claim(...slot)
        if (claimed === 'running') atHand++
        return claimed
      },
      async finish(...run) {
        await scheduleRuns.finish(...run)
        atHand--
      },
    })
    const replica = (n: 0 | 1) =>
      // The second one's clock is late by up to 400 ms, as machines are.
      createScheduler({
        skills: { ...noSkills, list: skills },
        runs: counted(storages[n]),
        now: async () => clock.now - n * 400,
        async run({ name }, slot) {
          const key = `${name} ${slot}`
          ran.set(key, (ran.get(key) ?? 0) + 1)
          return { ok: true }
        },
        notice: async (text) => assert.fail(text),
        log: silentLog,
      })
    const replicas = [replica(0), replica(1)]
    let restarts = 0
    for (let step = 0; clock.now < START + slotsWanted * MINUTE; step++) {
      clock.now += 7_000 + ((step * 7_919) % 12_000)
      await Promise.all(replicas.map((one) => one.tick()))
      while (atHand > 0) await setTimeout(1)
      const n = step % 17 === 0 ? 0 : step % 13 === 0 ? 1 : undefined
      if (n === undefined) continue
      await replicas[n]?.stop()
      replicas[n] = replica(n)
      restarts++
    }
    await Promise.all(replicas.map((one) => one.stop()))
    for (const name of ['every-minute', 'jittered'])
      for (let slot = START; slot < START + slotsWanted * MINUTE; slot += MINUTE)
        assert.equal(ran.get(`${name} ${slot}`), 1, `${name} ${new Date(slot).toISOString()}`)
    assert.ok(restarts > slotsWanted / 4, String(restarts))
    for (const storage of storages) await storage.close()
  })
})
