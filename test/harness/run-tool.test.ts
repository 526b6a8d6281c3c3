import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { z } from 'zod'
import type { Outbound } from '../../src/harness/channel.ts'
import type { Execution } from '../../src/harness/gate.ts'
import { runTool } from '../../src/harness/run-tool.ts'
import { noSkills } from '../../src/harness/skills.ts'
import { defineReadTool, type Tool } from '../../src/harness/tool.ts'
import { tools as typedTools } from '../../src/harness/tools/index.ts'
import type { VerdictCard } from '../../src/harness/verdict-card.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import { silentLog } from '../../src/lib/log.ts'
import { call } from './scripted-provider.ts'
import { type Fate, MINED, standIn } from './stand-in-policy.ts'
import { NOW, STRANGER, WALLET } from './stand-in-reader.ts'

const SWAP = { sell: 'USDC', buy: 'WETH', amount: '100' }
const OWN = { memory: undefined, skills: noSkills, shell: undefined }
const DRY: Execution = { mode: 'dry-run', ok: true, assetChanges: null }

type Given = Readonly<{
  fates?: readonly Fate[]
  executions?: readonly (Execution | Error)[]
  mode?: Execution['mode']
  signal?: AbortSignal
  tools?: readonly Tool[]
}>

async function run(name: string, args: unknown, given: Given = {}) {
  const world = standIn(given.fates ?? ['approved'], given.executions)
  const out: Outbound[] = []
  const outcome = await runTool(
    call(name, args),
    {
      tools: given.tools ?? typedTools,
      trading: world.trading,
      mode: given.mode ?? 'direct',
      log: silentLog,
      own: OWN,
      now: () => NOW,
      emit: async (message) => void out.push(message),
    },
    given.signal ?? new AbortController().signal,
  )
  const cards = out.flatMap((message): VerdictCard[] => (message.type === 'verdict' ? [message.card] : []))
  return { ...world, out, cards, isError: outcome.isError, told: JSON.parse(outcome.result) }
}

describe('run-tool: what goes back to the model as an error', () => {
  test('a tool that is not there, with those that are', async () => {
    const { told, isError, submitted } = await run('sudo', { command: 'ls' })
    assert.ok(isError)
    assert.match(told.error, /no such tool.*swap/)
    assert.equal(submitted.length, 0)
  })

  test('wrong arguments, by name; text that is no JSON too', async () => {
    assert.match((await run('swap', { ...SWAP, amount: 5 })).told.error, /amount/)
    assert.match((await run('swap', '{"sell": "US')).told.error, /Invalid arguments/)
  })

  test('cut, where the model itself made it long', async () => {
    const { told, isError } = await run('swap', { ...SWAP, ['x'.repeat(90_000)]: 1 })
    assert.ok(isError)
    assert.match(told.error, /^Invalid arguments.* …$/)
    assert.ok(JSON.stringify(told).length < 24_100)
  })

  test('a fault with its message, a bug with none', async () => {
    const broken = (thrown: Error) =>
      defineReadTool({ name: 'broken', description: '', input: z.strictObject({}), read: () => Promise.reject(thrown) })
    const known = await run('broken', {}, { tools: [broken(new CountersignError('unavailable', 'The RPC is down.'))] })
    assert.deepEqual(known.told, { ok: false, tool: 'broken', error: 'The RPC is down.' })
    const bug = await run('broken', {}, { tools: [broken(new TypeError('x of undefined at /srv/secret'))] })
    assert.doesNotMatch(JSON.stringify(bug.told), /secret|undefined/)
    assert.ok(bug.isError)
  })

  test('a tool that hangs ends with the turn', async () => {
    const hanging = defineReadTool({
      name: 'hang',
      description: '',
      input: z.strictObject({}),
      read: () => new Promise(() => undefined),
    })
    assert.match((await run('hang', {}, { tools: [hanging], signal: AbortSignal.timeout(20) })).told.error, /stopped/)
  })
})

describe('run-tool: an action of several steps', () => {
  test('all are decided before the first is executed; then they run in order', async () => {
    const { submitted, executed, cancelled, told } = await run('swap', SWAP)
    assert.deepEqual(
      submitted.map(({ proposedTx }) => proposedTx.protocol),
      ['erc20', 'permit2', 'uniswap'],
    )
    assert.ok(submitted.every(({ escrowAddress, arbiter }) => escrowAddress === WALLET && arbiter === 'policy'))
    assert.deepEqual([executed, cancelled], [[0, 1, 2], []])
    assert.equal(told.result.executed, true)
    assert.match(
      told.result.message,
      /Swap 100 USDC for at least 0.03267 WETH: approved\. Executed and mined\. Transaction 0xabab/,
    )
  })

  test('one that is rejected stops all, gives back the others, and says code, field and failed checks', async () => {
    const { executed, cancelled, told, isError } = await run('swap', SWAP, {
      fates: ['approved', 'approved', 'rejected'],
    })
    assert.deepEqual([executed, cancelled, isError], [[], [0, 1], false])
    assert.equal(told.result.executed, false)
    assert.match(
      told.result.message,
      /rejected \(no_slippage_guard, policy field slippage\.maxBps\)\. The swap sets no minimum/,
    )
    const last = told.result.steps[2]
    assert.deepEqual(
      [
        last.outcome,
        last.reasonCode,
        last.triggeringPolicyField,
        last.failedChecks.map((c: { checkId: string }) => c.checkId),
        last.execution,
      ],
      ['rejected', 'no_slippage_guard', 'slippage.maxBps', ['slippage_guard'], null],
    )
  })

  test('one that waits for a person executes none', async () => {
    const { executed, cancelled, told } = await run('swap', SWAP, { fates: ['approved', 'approved', 'pending'] })
    assert.deepEqual([executed, cancelled], [[], [0, 1]])
    assert.match(told.result.message, /waits for a person/)
  })

  test('the first that fails ends it; what it and the rest held is given back where nothing was signed', async () => {
    const refused: Execution = {
      mode: 'direct',
      ok: false,
      status: 'refused',
      txHash: null,
      reason: 'Execution is paused.',
    }
    const { executed, cancelled, told } = await run('swap', SWAP, { executions: [MINED, refused] })
    assert.deepEqual(
      [executed, cancelled],
      [
        [0, 1],
        [1, 2],
      ],
    )
    assert.equal(told.result.executed, false)
    assert.match(told.result.message, /Execution is paused[\s\S]*approved, not executed/)
    const reverted: Execution = {
      mode: 'direct',
      ok: false,
      status: 'reverted',
      txHash: MINED.txHash,
      reason: 'It reverted.',
    }
    assert.deepEqual((await run('swap', SWAP, { executions: [reverted] })).cancelled, [1, 2])
  })

  test('what is not known to be mined is not built upon', async () => {
    const { executed, cancelled } = await run('swap', SWAP, { executions: [{ ...MINED, status: 'pending' }] })
    assert.deepEqual([executed, cancelled], [[0], [1, 2]])
  })

  test('a gate that throws ends it, and nothing more is executed', async () => {
    const { executed, cancelled, told } = await run('swap', SWAP, { executions: [new Error('disk')] })
    assert.deepEqual([executed, cancelled], [[0], [0, 1, 2]])
    assert.match(told.result.message, /gate failed/)
  })

  test('a dry run rehearses every step, and says why a later one may fail', async () => {
    const failing: Execution = { mode: 'dry-run', ok: false, reason: 'AllowanceExpired.' }
    const { executed, cancelled, told } = await run('swap', SWAP, { mode: 'dry-run', executions: [DRY, DRY, failing] })
    assert.deepEqual([executed, cancelled], [[0, 1, 2], []])
    assert.equal(told.result.executed, false)
    assert.match(told.result.message, /AllowanceExpired\. The steps before it were not executed in this dry run/)
  })

  test('a policy that cannot be asked executes nothing and gives back what was approved', async () => {
    const { executed, cancelled, told, isError } = await run('swap', SWAP, {
      fates: ['approved', new CountersignError('unavailable', 'The store is gone.')],
    })
    await new Promise(setImmediate)
    assert.deepEqual([executed, cancelled, isError, told.error], [[], [0], true, 'The store is gone.'])
  })

  test('a verdict that does not come in time executes nothing', async () => {
    const { executed, cancelled, isError } = await run('swap', SWAP, {
      fates: ['approved', 'never'],
      signal: AbortSignal.timeout(20),
    })
    await new Promise(setImmediate)
    assert.deepEqual([executed, isError], [[], true])
    assert.ok(cancelled.includes(0))
  })
})

describe('run-tool: an approval must agree with its verdict', () => {
  const args = { token: 'USDC', to: STRANGER, amount: '1' }
  async function withDecision(change: (decision: Record<string, unknown>) => object) {
    const world = standIn(['approved'])
    const { submit } = world.trading.policy
    const policy = {
      ...world.trading.policy,
      submit: (async (principal: never, request: never) => {
        const { record, decided } = await submit(principal, request)
        return { record, decided: decided.then((decision) => change({ ...decision })) }
      }) as never,
    }
    const settings = {
      tools: typedTools,
      mode: 'direct',
      log: silentLog,
      own: OWN,
      now: () => NOW,
      emit: async () => undefined,
    } as const
    await runTool(
      call('transfer', args),
      { ...settings, trading: { ...world.trading, policy } },
      new AbortController().signal,
    )
    return world.executed
  }

  test('as it is, it is executed', async () => {
    assert.deepEqual(await withDecision((decision) => decision), [0])
  })
  test('an approval beside a rejection, of another request or of other bytes is not', async () => {
    for (const other of [{ outcome: 'rejected' }, { reasonCode: 'no_slippage_guard' }])
      assert.deepEqual(await withDecision((d) => ({ ...d, verdict: { ...(d.verdict as object), ...other } })), [])
    assert.deepEqual(
      await withDecision((d) => ({ ...d, approval: { ...(d.approval as object), requestHash: '0x00' } })),
      [],
    )
    const tx = { protocol: 'erc20', chainId: 1, to: STRANGER, data: '0x', value: '0x1' }
    assert.deepEqual(await withDecision((d) => ({ ...d, approval: { ...(d.approval as object), tx } })), [])
  })
})

describe('run-tool: cards', () => {
  test("one for each verdict, and one again with what became of it; by the tool's words and the bytes", async () => {
    const { cards } = await run('swap', { ...SWAP, recipient: STRANGER })
    assert.equal(cards.length, 6)
    assert.deepEqual(
      cards.slice(0, 3).map(({ execution }) => execution),
      [null, null, null],
    )
    assert.deepEqual(
      cards.slice(3).map(({ execution }) => execution?.txHash),
      [MINED.txHash, MINED.txHash, MINED.txHash],
    )
    assert.deepEqual(
      cards.slice(0, 3).map(({ requestHash }) => requestHash),
      cards.slice(3).map(({ requestHash }) => requestHash),
    )
    assert.match(cards[2]?.title ?? '', /^Swap 100 USDC for at least 0\.03267 WETH, sent to 0x/)
    assert.equal(cards[2]?.checks.length, 15)
  })
})
