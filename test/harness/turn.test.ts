import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Outbound } from '../../src/harness/channel.ts'
import type { Message, ToolCall } from '../../src/harness/provider.ts'
import { DEFAULT_LIMITS, runTurn, type TurnLimits, type TurnSettings } from '../../src/harness/turn.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import { call, type ScriptedProvider, scripted } from './scripted-provider.ts'

type Given = Readonly<{
  limits?: Partial<TurnLimits>
  signal?: AbortSignal
  history?: readonly Message[]
  runTool?: TurnSettings['runTool']
  meter?: TurnSettings['meter']
  shorten?: TurnSettings['shorten']
}>

async function turn(provider: ScriptedProvider, given: Given = {}) {
  const out: Outbound[] = []
  const ran: ToolCall[] = []
  const added = await runTurn(given.history ?? [], 'hello', {
    provider,
    model: 'm',
    system: 's',
    tools: [{ name: 'look', description: '', parameters: {} }],
    limits: { ...DEFAULT_LIMITS, ...given.limits },
    signal: given.signal ?? new AbortController().signal,
    meter: given.meter ?? { refusal: async () => undefined, record: async () => undefined },
    shorten: given.shorten ?? (async () => []),
    emit: async (message) => void out.push(message),
    runTool: async (toolCall, signal) => {
      ran.push(toolCall)
      return given.runTool ? given.runTool(toolCall, signal) : { result: '{"ok":true}', isError: false }
    },
  })
  const text = out.flatMap((message) => (message.type === 'text' ? [message.text] : [])).join('')
  const errors = out.flatMap((message) => (message.type === 'error' ? [message.text] : []))
  return { out, ran, added, text, errors, provider }
}

/** Every tool call has exactly one result, and none comes from nowhere. */
function assertPaired(messages: readonly Message[]): void {
  const asked = messages.flatMap((message) =>
    message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [],
  )
  const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []))
  assert.deepEqual(answered, asked)
}

describe('turn', () => {
  test('a text is said, and remembered with the question', async () => {
    const { text, added, errors } = await turn(scripted('Hi there'))
    assert.equal(text, 'Hi there')
    assert.deepEqual(errors, [])
    assert.deepEqual(added, [
      { role: 'user', text: 'hello' },
      { role: 'assistant', text: 'Hi there', toolCalls: [] },
    ])
  })

  test('tool calls are run in their order, and their results go back with the history', async () => {
    const history: Message[] = [
      { role: 'user', text: 'before' },
      { role: 'assistant', text: 'yes', toolCalls: [] },
    ]
    const calls = [call('look', { n: 1 }, 'a'), call('look', { n: 2 }, 'b')]
    const { ran, provider, added, text } = await turn(scripted(calls, 'Done'), { history })
    assert.deepEqual(ran, calls)
    assert.equal(text, 'Done')
    assert.deepEqual(provider.requests[1]?.messages.slice(0, 3), [...history, { role: 'user', text: 'hello' }])
    assert.deepEqual(provider.requests[1]?.messages.slice(4), [
      { role: 'tool', callId: 'a', name: 'look', result: '{"ok":true}', isError: false },
      { role: 'tool', callId: 'b', name: 'look', result: '{"ok":true}', isError: false },
    ])
    assertPaired(added)
  })

  test('the last call of the model that is allowed runs no tools', async () => {
    let n = 0
    const { ran, errors, provider, added } = await turn(scripted(() => [call('look', { n: n++ }, `c${n}`)]))
    assert.equal(provider.requests.length, 8)
    assert.equal(ran.length, 7)
    assert.match(errors.join(), /limit of 8 calls of the model/)
    assertPaired(added)
  })

  test('the third identical tool call is not run and ends the run, however its keys are ordered', async () => {
    const { ran, errors, provider, added } = await turn(
      scripted(
        [call('look', { a: 1, b: 2 }, 'x')],
        [call('look', { b: 2, a: 1 }, 'y'), call('look', { a: 1, b: 2 }, 'z'), call('other', {}, 'w')],
      ),
    )
    assert.deepEqual(
      ran.map(({ id }) => id),
      ['x', 'y'],
    )
    assert.equal(provider.requests.length, 2)
    assert.match(errors.join(), /same look 3 times/)
    assertPaired(added)
  })

  test('more calls at once than allowed are answered, not run', async () => {
    const calls = Array.from({ length: 20 }, (_, n) => call('look', { n }, `c${n}`))
    const { ran, text, added } = await turn(scripted(calls, 'Done'))
    assert.equal(ran.length, 16)
    assert.equal(text, 'Done')
    assertPaired(added)
    assert.match(JSON.stringify(added), /at most 16 tool calls/)
  })

  test('nothing is run of an answer that failed, was cut off, or was refused after tool calls', async () => {
    const toolCall = { type: 'tool-call', call: call('look') } as const
    const usage = { inputTokens: 1, outputTokens: 1 }
    const failed = await turn(scripted({ events: [toolCall] }))
    assert.deepEqual([failed.ran, failed.added], [[], []])
    assert.match(failed.errors.join(), /ended too early/)
    for (const reason of ['length', 'refusal'] as const) {
      const { ran, out, added } = await turn(scripted({ events: [toolCall, { type: 'done', reason, usage }] }))
      assert.deepEqual(ran, [])
      assert.equal(out.at(-1)?.type, 'status')
      assertPaired(added)
    }
  })

  test('an empty answer is said to be one', async () => {
    const { out, added } = await turn(
      scripted({ events: [{ type: 'done', reason: 'stop', usage: { inputTokens: 1, outputTokens: 0 } }] }),
    )
    assert.deepEqual(out, [{ type: 'status', text: 'The model gave no answer.' }])
    assert.deepEqual(added, [{ role: 'user', text: 'hello' }], 'an empty answer is not remembered')
  })

  test('a failing model is said in its own words, another fault in none', async () => {
    const known = await turn(scripted({ fails: new CountersignError('rate_limited', 'Too many.') }))
    assert.deepEqual(known.errors, ['Too many.'])
    const unknown = await turn(scripted({ fails: new Error('secret at https://upstream') }))
    assert.deepEqual(unknown.errors, ['The turn failed.'])
  })

  test('what was done before a failure is remembered', async () => {
    const { added } = await turn(scripted([call('look')], { fails: new CountersignError('unavailable', 'Gone.') }))
    assert.deepEqual(
      added.map(({ role }) => role),
      ['user', 'assistant', 'tool'],
    )
  })

  test('a model that hangs ends with the time, and with the word of the person', async () => {
    const late = await turn(scripted({ hangs: true }), { limits: { wallMs: 30 } })
    assert.match(late.errors.join(), /took longer than 0.03 seconds/)
    const stopped = await turn(scripted({ hangs: true }), { signal: AbortSignal.timeout(20) })
    assert.deepEqual(stopped.errors, ['Stopped.'])
  })

  test('after the stop no further tool is run', async () => {
    const controller = new AbortController()
    const { ran, errors, added } = await turn(scripted([call('look', {}, 'a'), call('look', { n: 2 }, 'b')]), {
      signal: controller.signal,
      runTool: async () => {
        controller.abort()
        return { result: '{"ok":true}', isError: false }
      },
    })
    assert.deepEqual(
      ran.map(({ id }) => id),
      ['a'],
    )
    assert.deepEqual(errors, ['Stopped.'])
    assertPaired(added)
  })

  test('long texts travel in pieces that join to the text', async () => {
    const words = Array.from({ length: 100 }, (_, n) => `word${n} `)
    const events = [
      ...words.map((text) => ({ type: 'text', text }) as const),
      { type: 'done', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } } as const,
    ]
    const { text, out } = await turn(scripted({ events }))
    assert.equal(text, words.join(''))
    assert.ok(out.length < 20)
  })

  test('where another model begins anew, what the first had said and asked for is void', async () => {
    const usage = { inputTokens: 1, outputTokens: 1 }
    const { out, added, ran } = await turn(
      scripted({
        events: [
          { type: 'text', text: 'Hal' },
          { type: 'tool-call', call: call('look') },
          { type: 'failover', from: 'a', to: 'b' },
          { type: 'text', text: 'Hello' },
          { type: 'done', reason: 'stop', usage },
        ],
      }),
    )
    assert.deepEqual(ran, [])
    assert.deepEqual(added.at(-1), { role: 'assistant', text: 'Hello', toolCalls: [] })
    assert.deepEqual(
      out.flatMap((one) => ('text' in one ? [`${one.type} ${one.text}`] : [])),
      ['text Hal', 'status The model a failed; b answers anew.', 'text Hello'],
    )
  })

  test('a conversation that does not fit is asked once more, shorter, and stays short', async () => {
    const tooLong = { fails: new CountersignError('payload_too_large', 'too long') }
    const history: Message[] = [{ role: 'user', text: 'long ago' }]
    const short: Message[] = [{ role: 'user', text: 'in short' }]
    const provider = scripted(tooLong, [call('look')], 'Done')
    const { text, out } = await turn(provider, { history, shorten: async () => short })
    assert.equal(text, 'Done')
    assert.ok(out.some((one) => one.type === 'status' && /is shortened/.test(one.text)))
    assert.deepEqual(
      provider.requests.map(({ messages }) => messages[0]),
      [history[0], short[0], short[0]],
    )
    const twice = await turn(scripted(tooLong, tooLong))
    assert.deepEqual([twice.errors, twice.added], [['too long'], []])
  })

  test('a budget is asked before each call of the model, and ends the turn', async () => {
    let used = 0
    const meter = {
      refusal: async () => (used >= 2 ? 'the budget of 2 tokens for one message is used up' : undefined),
      record: async ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) => {
        used += inputTokens + outputTokens
      },
    }
    const provider = scripted([call('look')], 'Never said')
    const { errors, ran, added } = await turn(provider, { meter })
    assert.deepEqual(errors, ['Stopped: the budget of 2 tokens for one message is used up.'])
    assert.deepEqual([ran.length, provider.requests.length], [1, 1])
    assertPaired(added)
  })
})
