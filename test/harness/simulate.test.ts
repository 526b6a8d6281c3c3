// The simulate tool: what an action would do and how it would be decided, with nothing submitted.
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { runTool } from '../../src/harness/run-tool.ts'
import { noSkills } from '../../src/harness/skills.ts'
import { tools } from '../../src/harness/tools/index.ts'
import { silentLog } from '../../src/lib/log.ts'
import { FRIEND, type PaperWorld, paperWorld } from '../support/paper-world.ts'
import { standIn } from './stand-in-policy.ts'
import { NOW, STRANGER } from './stand-in-reader.ts'

describe('the tool', () => {
  const open: PaperWorld[] = []
  afterEach(async () => {
    for (const world of open.splice(0)) await world.close()
  })

  async function simulated(tool: string, args: object, ...settings: Parameters<typeof paperWorld>) {
    const world = await paperWorld(...settings)
    open.push(world)
    const { told, isError, out } = await world.use('simulate', { tool, arguments: args })
    assert.equal((await world.trading.reader.history(10)).length, 0, 'nothing is submitted')
    assert.equal((await world.paper.fills()).length, 0)
    assert.deepEqual(out, [])
    return { isError, told: JSON.parse(told), world }
  }

  describe('simulate', () => {
    it('says of each step what leaves and arrives, the gas, and the verdict', async () => {
      const { told } = await simulated('swap', { sell: 'USDC', buy: 'WETH', amount: '100' })
      assert.equal(told.result.steps.length, 3)
      const last = told.result.steps[2]
      assert.deepEqual(last.verdict, {
        outcome: 'approved',
        reasonCode: 'allowed',
        humanReason: last.verdict.humanReason,
        triggeringPolicyField: null,
      })
      assert.ok(last.effects.includes('leaves: at most 100 USDC'), last.effects.join())
      assert.ok(
        last.effects.some((effect: string) => effect.startsWith('comes back: at least 0.0492')),
        last.effects.join(),
      )
      assert.equal(last.gas, "about 180000 gas, 0.00018 of the chain's coin, $0.36")
      assert.equal(last.onChain, 'not known')
      assert.match(told.result.message, /would be approved \(allowed\)[\s\S]*nothing was submitted\.$/)
    })

    it('says why it would be rejected, and lets it be submitted all the same', async () => {
      const { told, world } = await simulated('transfer', { token: 'USDC', to: STRANGER, amount: '1' })
      const [{ verdict }] = told.result.steps
      assert.deepEqual([verdict.outcome, verdict.reasonCode], ['rejected', 'recipient_not_allowed'])
      assert.match((await world.use('transfer', { token: 'USDC', to: FRIEND, amount: '1' })).told, /Filled on paper/)
    })

    it('looks at the limits of the day as they stand, and holds nothing of them', async () => {
      const { world } = await simulated('transfer', { token: 'USDC', to: FRIEND, amount: '60' }, undefined, {
        caps: { outflow24hUsd: 100 },
      })
      const outcomeOf = async () =>
        JSON.parse(
          (await world.use('simulate', { tool: 'transfer', arguments: { token: 'USDC', to: FRIEND, amount: '60' } }))
            .told,
        ).result.steps[0].verdict.reasonCode
      assert.equal(await outcomeOf(), 'allowed')
      assert.equal(await outcomeOf(), 'allowed')
      await world.use('transfer', { token: 'USDC', to: FRIEND, amount: '60' })
      assert.equal(await outcomeOf(), 'outflow_24h_exceeded')
    })

    it('is of tools that change something, with arguments that they take, where this process decides', async () => {
      assert.match((await simulated('price', { token: 'WETH' })).told.error, /no tool that changes/)
      assert.match((await simulated('simulate', { tool: 'swap', arguments: {} })).told.error, /no tool that changes/)
      assert.match((await simulated('transfer', { token: 'USDC' })).told.error, /Invalid arguments/)
      const settings = { tools, mode: 'direct', log: silentLog, now: () => NOW } as const
      const own = { memory: undefined, skills: noSkills, shell: undefined }
      const { trading } = standIn(['approved'])
      const call = { id: 'c', name: 'simulate', arguments: { tool: 'swap', arguments: {} } }
      const told = await runTool(
        call,
        { ...settings, own, trading, emit: async () => undefined },
        new AbortController().signal,
      )
      assert.match(told.result, /another service decides/)
    })
  })
})
