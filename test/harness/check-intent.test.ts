// The agent's own check before it submits: what a tool would propose, beside the person's words.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Outbound } from '../../src/harness/channel.ts'
import { runTool } from '../../src/harness/run-tool.ts'
import { noSkills } from '../../src/harness/skills.ts'
import { tools } from '../../src/harness/tools/index.ts'
import { silentLog } from '../../src/lib/log.ts'
import { isEvmTx, type ProposedTx } from '../../src/schema/action.ts'
import { ValidationRequest } from '../../src/schema/validation.ts'
import { createValidator } from '../../src/validation/index.ts'
import { corpusSurroundings } from '../support/intent-corpus/surroundings.ts'
import { call } from './scripted-provider.ts'
import { standIn } from './stand-in-policy.ts'
import { NOW, STRANGER, WALLET } from './stand-in-reader.ts'

const OWN = { memory: undefined, skills: noSkills, shell: undefined }

async function check(intent: string, tool: string, args: object) {
  const world = standIn(['approved'])
  const validator = createValidator({ ...corpusSurroundings(), now: () => NOW })
  const checkIntent = async (human_intent: string, txs: readonly ProposedTx[]) => {
    const transactions = txs.filter(isEvmTx).map(({ to, data, value }) => ({ to, data, value }))
    const request = ValidationRequest.parse({ human_intent, proposed_tx: { chainId: 1, from: WALLET, transactions } })
    const { decision, reason, primary_failure_node: node } = await validator.validate(request)
    return { matches: decision === 'PASS', reason, node }
  }
  const out: Outbound[] = []
  const settings = { tools, mode: 'direct', log: silentLog, own: OWN, now: () => NOW } as const
  const outcome = await runTool(
    call('check_intent', { intent, tool, arguments: args }),
    { ...settings, trading: { ...world.trading, checkIntent }, emit: async (message) => void out.push(message) },
    new AbortController().signal,
  )
  assert.equal(world.submitted.length, 0, 'nothing is submitted')
  return { told: JSON.parse(outcome.result), out }
}

describe('check_intent', () => {
  const transfer = { token: 'USDC', to: STRANGER, amount: '100' }

  it('says that a proposal does what was asked for', async () => {
    const { told, out } = await check(`send 100 USDC to ${STRANGER}`, 'transfer', transfer)
    assert.equal(told.result.matches, true, told.result.reason)
    assert.deepEqual(out, [])
  })

  it('tells the model and the person of a mismatch', async () => {
    const { told, out } = await check(`send 100 USDC to ${STRANGER}`, 'transfer', { ...transfer, amount: '1000' })
    assert.deepEqual([told.result.matches, told.result.node], [false, 'intent_alignment.amount_matching'])
    assert.match(told.result.reason, /You said 100 USDC, and it is 1000 USDC/)
    assert.deepEqual(out, [{ type: 'text', text: '⚠️ Not what was asked for: You said 100 USDC, and it is 1000 USDC.' }])
  })

  it('is of tools that change something, with arguments that they take', async () => {
    assert.match((await check('what is the price', 'price', { token: 'WETH' })).told.error, /no tool that changes/)
    assert.match((await check('x', 'sudo', {})).told.error, /no tool that changes/)
    assert.match((await check('send', 'transfer', { ...transfer, amount: 5 })).told.error, /amount/)
  })
})
