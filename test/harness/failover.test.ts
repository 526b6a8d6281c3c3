import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Candidate, createResting, withFailover } from '../../src/harness/failover.ts'
import type { ModelRequest, ProviderEvent } from '../../src/harness/provider.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import { call, type Line, type ScriptedProvider, scripted } from './scripted-provider.ts'

const DOWN = { fails: new CountersignError('unavailable', 'down') }
const LIMITED = { fails: new CountersignError('rate_limited', 'too many') }

function candidate(label: string, provider: ScriptedProvider, change: Partial<Candidate> = {}): Candidate {
  return { label, model: label, supportsToolUse: true, price: undefined, connect: async () => provider, ...change }
}

function request(change: Partial<ModelRequest> = {}): ModelRequest {
  const messages = [{ role: 'user', text: 'hello' }] as const
  return { model: 'ignored', system: 's', messages, tools: [], signal: new AbortController().signal, ...change }
}

async function all(events: AsyncIterable<ProviderEvent>): Promise<ProviderEvent[]> {
  const list: ProviderEvent[] = []
  for await (const event of events) list.push(event)
  return list
}

/** Models with these lines, and a clock that stands still until it is moved. */
function world(...scripts: readonly (readonly Line[])[]) {
  const clock = { now: 0 }
  const now = () => clock.now
  const models = scripts.map((lines) => scripted(...lines))
  const [first, ...others] = models.map((model, i) => candidate(`m${i}`, model))
  assert.ok(first)
  const provider = withFailover([first, ...others], createResting(now), now)
  return { clock, models, provider, asked: () => models.map(({ requests }) => requests.length) }
}

describe('failover', () => {
  test('the first that can answers, by its own name; the others are not asked', async () => {
    const { provider, models, asked } = world(['Hi'], ['Ho'])
    assert.deepEqual(
      (await all(provider.stream(request()))).map(({ type }) => type),
      ['text', 'done'],
    )
    assert.deepEqual(asked(), [1, 0])
    assert.equal(models[0]?.requests[0]?.model, 'm0')
  })

  test('an answer that never ends is left, and the next model begins anew', async () => {
    const endless = {
      events: Array.from({ length: 1_000 }, () => ({ type: 'text', text: 'x'.repeat(1_000) }) as const),
    }
    const { provider } = world([endless], ['Ho'])
    const events = await all(provider.stream(request()))
    assert.equal(
      events.findIndex(({ type }) => type === 'failover'),
      100,
    )
  })

  for (const [what, line] of [
    ['is down', DOWN],
    ['is busy', LIMITED],
    ['breaks off', { events: [{ type: 'text', text: 'Hal' }] }],
  ] as const)
    test(`where the first ${what} the next begins anew`, async () => {
      const { provider, asked } = world([line], ['Ho'])
      const events = await all(provider.stream(request()))
      const from = events.findIndex(({ type }) => type === 'failover')
      assert.deepEqual(events[from], { type: 'failover', from: 'm0', to: 'm1' })
      assert.deepEqual(events[from + 1], { type: 'text', text: 'Ho' })
      assert.deepEqual(asked(), [1, 1])
    })

  test('a refused request, a conversation that is too long and a refusal are not carried to another', async () => {
    for (const code of ['internal', 'payload_too_large'] as const) {
      const { provider, asked } = world([{ fails: new CountersignError(code, 'x') }], ['Ho'])
      await assert.rejects(all(provider.stream(request())), { code })
      assert.deepEqual(asked(), [1, 0])
    }
    const usage = { inputTokens: 1, outputTokens: 1 }
    const { provider, asked } = world([{ events: [{ type: 'done', reason: 'refusal', usage }] }], ['Ho'])
    assert.deepEqual(await all(provider.stream(request())), [{ type: 'done', reason: 'refusal', usage }])
    assert.deepEqual(asked(), [1, 0])
  })

  test('where all fail the last fault is thrown', async () => {
    const { provider } = world([DOWN], [LIMITED])
    await assert.rejects(all(provider.stream(request())), { code: 'rate_limited' })
  })

  test('one that failed rests, longer each time, and is asked again when it wakes', async () => {
    const { provider, clock, asked } = world([DOWN, DOWN, 'Back'], ['Ho'])
    const ask = () => all(provider.stream(request()))
    await ask()
    await ask()
    assert.deepEqual(asked(), [1, 2], 'it rests')
    clock.now = 30_001
    await ask()
    assert.deepEqual(asked(), [2, 3], 'it is tried, and fails')
    clock.now = 60_100
    await ask()
    assert.deepEqual(asked(), [2, 4], 'it rests for twice as long')
    clock.now = 90_100
    const back = await ask()
    assert.deepEqual(asked(), [3, 4])
    assert.deepEqual(back[0], { type: 'text', text: 'Back' })
  })

  test('where all rest, the one that wakes first is asked all the same', async () => {
    const { provider, asked } = world([DOWN, 'Hi'], [DOWN])
    await assert.rejects(all(provider.stream(request())))
    await all(provider.stream(request()))
    assert.deepEqual(asked(), [2, 1])
  })

  test('a stopped call is not carried on', async () => {
    const stop = AbortSignal.abort()
    const { provider, asked } = world([DOWN], ['Ho'])
    await assert.rejects(all(provider.stream(request({ signal: stop }))))
    assert.deepEqual(asked(), [1, 0])
  })

  test('a model without tools does not take over a conversation with tools', async () => {
    const [a, b] = [scripted(DOWN), scripted('Ho')]
    const now = () => 0
    const models = [candidate('a', a), candidate('b', b, { supportsToolUse: false })] as const
    const provider = withFailover(models, createResting(now), now)
    const tools = [{ name: 't', description: '', parameters: {} }]
    await assert.rejects(all(provider.stream(request({ tools }))))
    assert.equal(b.requests.length, 0)
    await all(provider.stream(request()))
    assert.equal(b.requests.length, 1)
  })

  test('no tool call is heard twice', async () => {
    const half = { events: [{ type: 'tool-call', call: call('swap') }] } as const
    const { provider } = world([half], [[call('swap')]])
    const events = await all(provider.stream(request()))
    const after = events.slice(events.findIndex(({ type }) => type === 'failover'))
    assert.equal(after.filter(({ type }) => type === 'tool-call').length, 1)
  })
})

describe('what an answer used', () => {
  const priced = async (usage: object, price: Candidate['price']) => {
    const model = scripted({ events: [{ type: 'done', reason: 'stop', usage: usage as never }] })
    const provider = withFailover(
      [candidate('m', model, { price })],
      createResting(() => 0),
      () => 0,
    )
    const [done] = await all(provider.stream(request()))
    assert.ok(done?.type === 'done')
    return done.usage
  }

  test('is priced in micro-USD, rounded up, with what a cache saved', async () => {
    const usage = { inputTokens: 1_000, outputTokens: 100, cachedTokens: 600, cacheWriteTokens: 100 }
    const price = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75 }
    assert.equal((await priced(usage, price)).microUsd, 300 * 3 + 600 * 0.3 + 100 * 3.75 + 100 * 15)
    assert.equal((await priced({ inputTokens: 1, outputTokens: 0 }, { input: 0.1, output: 1 })).microUsd, 1)
    assert.equal((await priced({ inputTokens: 10, outputTokens: 1 }, undefined)).microUsd, undefined)
  })

  test('is estimated where the server counts nothing, so that no budget is blind', async () => {
    const { inputTokens } = await priced({ inputTokens: 0, outputTokens: 0 }, undefined)
    assert.ok(inputTokens > 5)
  })
})
