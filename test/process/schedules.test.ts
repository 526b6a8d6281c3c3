import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createHarness, noSkills, type Switchboard, tools } from '../../src/harness/index.ts'
import type { Skill } from '../../src/harness/skill-file.ts'
import { silentLog } from '../../src/lib/log.ts'
import { createSchedules } from '../../src/process/schedules.ts'
import { standIn } from '../harness/stand-in-policy.ts'
import { freshMemory } from '../support/memory.ts'
import { type Script, startModelServer } from '../support/model-servers.ts'

const EVERY_MINUTE: Skill = {
  name: 'report',
  description: 'Reports.',
  tags: [],
  body: 'Say how it is.',
  allowedTools: ['read_portfolio', 'transfer'],
  schedule: { cron: '* * * * *', timeZone: 'UTC', catchUp: true, jitterSeconds: 0, agent: undefined },
}

/** A process with one scheduled skill whose last slot was missed, so that it runs at once. */
async function world(script: Script, change: Readonly<{ skill?: Skill; prompts?: boolean; tools?: string[] }> = {}) {
  const model = await startModelServer('openai-completions', script)
  const stand = standIn(['approved'])
  const memory = await freshMemory()
  const { storage } = memory
  await storage.stores.scheduleRuns.claim('report', Math.floor(Date.now() / 60_000) * 60_000 - 120_000, 1)
  await storage.stores.scheduleRuns.finish('report', Math.floor(Date.now() / 60_000) * 60_000 - 120_000, 'done', null)
  const skills = { ...noSkills, list: () => [change.skill ?? EVERY_MINUTE] }
  const agents = [
    { id: 'a', name: 'A', provider: 'p', model: 'm', ...(change.tools && { tools: change.tools }) },
  ] as const
  const schedules = createSchedules({ agents, skills, storage, log: silentLog })
  const harness = createHarness({
    agents,
    providers: { p: { api: 'openai-completions', baseUrl: model.baseUrl } },
    mode: 'direct',
    trading: stand.trading,
    tools,
    memory,
    skills,
    onScheduled: schedules.onScheduled,
    log: silentLog,
    now: () => new Date(),
  })
  const told: string[] = []
  const switchboard: Switchboard = {
    start: async () => undefined,
    stop: async () => undefined,
    reports: () => [],
    isElsewhere: () => false,
    tell: async (text) => told.push(text) > 0,
    async prompt(agent, { id, text }) {
      if (!change.prompts) return false
      void harness.receive(
        'chat',
        { id, conversation: 'owner', sender: '1', text, agent, isScheduled: true },
        async () => {},
      )
      return true
    },
  }
  schedules.start({ harness, switchboard })
  const states = async () =>
    (await storage.stores.scheduleRuns.recent('report', 10)).map(({ state, detail }) => [state, detail])
  const ended = async () => {
    for (let n = 0; n < 500; n++) {
      const all = await states()
      if (all.length > 1 && all.every(([state]) => state !== 'running')) return all
      await pause(10)
    }
    return assert.fail('it did not end')
  }
  return {
    told,
    model,
    stand,
    ended,
    async close() {
      await schedules.stop()
      await storage.close()
      await model.close()
    },
  }
}

describe('a scheduled run', () => {
  for (const prompts of [false, true])
    it(`goes through the same turn, ${prompts ? 'in the chat of the owner' : 'without anybody there'}`, async () => {
      const { model, ended, told, close } = await world([{ kind: 'text', text: 'Fine.' }], { prompts })
      assert.deepEqual((await ended())[0], ['done', null])
      const [asked] = model.asked
      const said = JSON.stringify(asked?.body)
      assert.match(said, /scheduled run of your skill report[\s\S]*Say how it is/)
      const offered = ((asked ?? assert.fail()).body['tools'] as { function: { name: string } }[]).map(
        (one) => one.function.name,
      )
      assert.deepEqual(offered.sort(), ['read_portfolio', 'read_skill', 'transfer'])
      assert.deepEqual(told, [])
      await close()
    })

  it('has no more tools than its agent, whatever the skill names', async () => {
    const { model, ended, close } = await world([{ kind: 'text', text: 'Fine.' }], { tools: ['read_portfolio'] })
    await ended()
    const offered = ((model.asked[0] ?? assert.fail()).body['tools'] as { function: { name: string } }[]).map(
      (one) => one.function.name,
    )
    assert.deepEqual(offered, ['read_portfolio'])
    await close()
  })

  it('executes nothing that nobody confirms', async () => {
    const call = {
      name: 'transfer',
      arguments: { token: 'USDC', to: '0x000000000000000000000000000000000000beef', amount: '1' },
    }
    const { model, stand, ended, close } = await world([
      { kind: 'tool-calls', calls: [call] },
      { kind: 'text', text: 'Asked.' },
    ])
    await ended()
    const told = JSON.stringify(model.asked.at(-1)?.body)
    assert.doesNotMatch(told, /Executed and mined/)
    assert.deepEqual([stand.submitted.length, stand.executed], [1, []])
    await close()
  })

  it('that fails is told to the owner, and kept', async () => {
    const { ended, told, close } = await world([{ kind: 'status', status: 500 }])
    const [[state, detail] = []] = await ended()
    assert.equal(state, 'failed')
    assert.match(detail ?? '', /status 500/)
    for (let n = 0; told.length === 0 && n < 100; n++) await pause(10)
    assert.match(told[0] ?? '', /^The scheduled run of report failed: The model server answered with status 500/)
    await close()
  })

  it('of an agent that there is not is a failure too', async () => {
    const { schedule, ...skill } = EVERY_MINUTE
    assert.ok(schedule)
    const other = { ...skill, schedule: { ...schedule, agent: 'nobody' } }
    const { ended, model, close } = await world([{ kind: 'text', text: 'x' }], { skill: other })
    assert.match((await ended())[0]?.[1] ?? '', /No agent nobody may use the skill report/)
    assert.equal(model.asked.length, 0)
    await close()
  })
})
