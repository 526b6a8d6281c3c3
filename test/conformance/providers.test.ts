// One suite over every dialect that talks to a server, through the real SDKs and a server on loopback.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ModelRequest, Provider, ProviderEvent } from '../../src/harness/provider.ts'
import { providers } from '../../src/harness/providers/index.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import { type Answer, type ModelServer, type ScriptedDialect, startModelServer } from '../support/model-servers.ts'

const KEY = 'sk-secret-4242'
const TOOL = {
  name: 'swap',
  description: 'Swap.',
  parameters: { type: 'object', properties: { amount: { type: 'string' } } },
}

function request(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'model-1',
    system: 'Be brief.',
    messages: [{ role: 'user', text: 'swap' }],
    tools: [TOOL],
    signal: new AbortController().signal,
    ...overrides,
  }
}

async function all(events: AsyncIterable<ProviderEvent>): Promise<ProviderEvent[]> {
  const list: ProviderEvent[] = []
  for await (const event of events) list.push(event)
  return list
}

/** As the scripted servers tell it. */
const USAGE = {
  'openai-completions': { inputTokens: 11, outputTokens: 7, cachedTokens: 4 },
  'openai-responses': { inputTokens: 11, outputTokens: 7, cachedTokens: 4 },
  'anthropic-messages': { inputTokens: 11, outputTokens: 7, cachedTokens: 4, cacheWriteTokens: 2 },
} as const

const SERVED: readonly ScriptedDialect[] = ['openai-completions', 'openai-responses', 'anthropic-messages']

test('every dialect is either served here or the offline one', () => {
  assert.deepEqual(providers.map(({ api }) => api).sort(), [...SERVED, 'offline'].sort())
})

for (const api of SERVED) {
  describe(api, () => {
    async function using(
      script: readonly Answer[],
      run: (provider: Provider, server: ModelServer) => Promise<void>,
      timeoutMs?: number,
    ) {
      const server = await startModelServer(api, script)
      try {
        const dialect = providers.find((one) => one.api === api)
        assert.ok(dialect)
        await run(await dialect.connect({ baseUrl: server.baseUrl, apiKey: KEY, timeoutMs }), server)
      } finally {
        await server.close()
      }
    }

    async function failure(
      answer: Answer,
      timeoutMs?: number,
      overrides: Partial<ModelRequest> = {},
    ): Promise<CountersignError> {
      let thrown: unknown
      await using(
        [answer],
        async (provider, server) => {
          await assert.rejects(all(provider.stream(request(overrides))), (error) => {
            thrown = error
            return true
          })
          assert.equal(server.asked.length, 1, 'a failed call is not repeated')
        },
        timeoutMs,
      )
      assert.ok(thrown instanceof CountersignError, `expected a CountersignError, got ${String(thrown)}`)
      const shown = `${thrown.message} ${JSON.stringify(thrown)} ${String(thrown.cause)}`
      assert.doesNotMatch(shown, /sk-secret|127\.0\.0\.1|https?:|upstream words|authorization/i)
      assert.equal(thrown.cause, undefined)
      return thrown
    }

    test('text comes piece by piece and ends with one done and its usage', () =>
      using([{ kind: 'text', text: 'Hello there' }], async (provider) => {
        const events = await all(provider.stream(request()))
        assert.deepEqual(events, [
          { type: 'text', text: 'Hello ' },
          { type: 'text', text: 'there' },
          { type: 'done', reason: 'stop', usage: USAGE[api] },
        ])
      }))

    test('parallel tool calls come whole, in order, after the text', () =>
      using(
        [
          {
            kind: 'tool-calls',
            text: 'Ok',
            calls: [
              { id: 'a', name: 'swap', arguments: { amount: '1' } },
              { id: 'b', name: 'swap', arguments: { amount: '2' } },
            ],
          },
        ],
        async (provider) => {
          const events = await all(provider.stream(request()))
          assert.deepEqual(events.slice(2), [
            { type: 'tool-call', call: { id: 'a', name: 'swap', arguments: { amount: '1' } } },
            { type: 'tool-call', call: { id: 'b', name: 'swap', arguments: { amount: '2' } } },
            { type: 'done', reason: 'tool-calls', usage: USAGE[api] },
          ])
        },
      ))

    test('arguments that are no JSON arrive as the text they are, and none at all as an empty object', () =>
      using(
        [
          {
            kind: 'tool-calls',
            calls: [
              { id: 'a', name: 'swap', raw: '{"amount": ' },
              { id: 'b', name: 'swap', raw: '' },
            ],
          },
        ],
        async (provider) => {
          const events = await all(provider.stream(request()))
          assert.deepEqual(events.slice(0, 2), [
            { type: 'tool-call', call: { id: 'a', name: 'swap', arguments: '{"amount": ' } },
            { type: 'tool-call', call: { id: 'b', name: 'swap', arguments: {} } },
          ])
        },
      ))

    test('an answer cut off by its length carries no tool call', () =>
      using(
        [{ kind: 'length', text: 'abcd', calls: [{ name: 'swap', arguments: { amount: '1' } }] }],
        async (provider) => {
          const events = await all(provider.stream(request()))
          assert.deepEqual(
            events.map(({ type }) => type),
            ['text', 'text', 'done'],
          )
          assert.deepEqual(events.at(-1), {
            type: 'done',
            reason: 'length',
            usage: USAGE[api],
          })
        },
      ))

    test('a refusal is an answer, not a failure', () =>
      using([{ kind: 'refusal', text: 'No.' }], async (provider) => {
        const last = (await all(provider.stream(request()))).at(-1)
        assert.ok(last?.type === 'done' && last.reason === 'refusal')
      }))

    const broken: readonly Answer[] = [
      { kind: 'truncated', text: 'Hal' },
      { kind: 'truncated', text: '', calls: [{ name: 'swap', arguments: { amount: '1' } }] },
      { kind: 'reset', text: 'Hal' },
      { kind: 'empty' },
      { kind: 'malformed-json' },
      { kind: 'wrong-shape' },
      { kind: 'no-calls' },
      { kind: 'tool-calls', calls: [{ id: 'a', name: 'no such name!' }] },
      { kind: 'status', status: 500 },
      { kind: 'status', status: 503, body: '<html>' },
      { kind: 'status', status: 529 },
      { kind: 'redirect', to: 'http://127.0.0.1:1/elsewhere' },
    ]
    for (const answer of broken)
      test(`fails as unavailable: ${JSON.stringify(answer)}`, async () => {
        assert.equal((await failure(answer)).code, 'unavailable')
      })

    test('arguments that never end are no answer', async () => {
      const raw = `{"amount": "${'1'.repeat(100_000)}`
      const { code, message } = await failure({ kind: 'tool-calls', calls: [{ id: 'a', name: 'swap', raw }] })
      assert.deepEqual([code, /longer than 100000 characters/.test(message)], ['unavailable', true])
    })

    test('a rate limit is said as one', async () => {
      assert.equal((await failure({ kind: 'status', status: 429 })).code, 'rate_limited')
    })

    test('a conversation that does not fit is said as such, in every way in which servers say it', async () => {
      const bodies = [
        { error: { code: 'context_length_exceeded', message: 'x' } },
        { error: { message: "This model's maximum context length is 8192 tokens." } },
        { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens' } },
      ]
      for (const body of bodies)
        assert.equal(
          (await failure({ kind: 'status', status: 400, body: JSON.stringify(body) })).code,
          'payload_too_large',
        )
    })

    test('an error in the middle of a stream is a failure by its kind, without its words', async () => {
      assert.equal((await failure({ kind: 'stream-error', text: 'Hal', code: 'overloaded_error' })).code, 'unavailable')
      const long = await failure({ kind: 'stream-error', text: 'Hal', code: 'context_length_exceeded' })
      assert.equal(long.code, 'payload_too_large')
    })

    test('what stays the same is marked for the cache, where the dialect has marks', () =>
      using([{ kind: 'text', text: 'Hi' }], async (provider, server) => {
        await all(provider.stream(request({ cacheKey: 'conversation-1' })))
        const { body } = server.asked[0] ?? assert.fail('not asked')
        const marks = JSON.stringify(body).match(/"cache_control":\{"type":"ephemeral"\}/g) ?? []
        assert.equal(marks.length, api === 'anthropic-messages' ? 2 : 0)
        assert.equal(body['prompt_cache_key'], api === 'openai-responses' ? 'conversation-1' : undefined)
      }))

    test('a refused key, model or request is not retryable and names what to check', async () => {
      const refused = await failure({ kind: 'status', status: 401, body: `{"error":{"message":"bad key ${KEY}"}}` })
      assert.deepEqual([refused.code, refused.retryable], ['internal', false])
      assert.match(refused.message, /apiKey/)
      assert.match((await failure({ kind: 'status', status: 404 })).message, /model-1/)
      assert.equal((await failure({ kind: 'status', status: 400 })).code, 'internal')
    })

    test('a server that never answers, or stops in the middle, runs into the time limit', async () => {
      assert.equal((await failure({ kind: 'hang' }, 1_000)).code, 'unavailable')
      assert.equal((await failure({ kind: 'hang-after', text: 'Hal' }, 1_000)).code, 'unavailable')
    })

    test('the caller can stop it before and in the middle', async () => {
      const before = await failure({ kind: 'hang' }, undefined, { signal: AbortSignal.timeout(1_000) })
      assert.match(before.message, /stopped/)
      const middle = await failure({ kind: 'hang-after', text: 'Hal' }, undefined, {
        signal: AbortSignal.timeout(1_000),
      })
      assert.match(middle.message, /stopped/)
    })

    test('a server that cannot be reached is unavailable', async () => {
      const dialect = providers.find((one) => one.api === api)
      const provider = await dialect?.connect({ baseUrl: 'http://127.0.0.1:9', apiKey: KEY })
      assert.ok(provider)
      await assert.rejects(all(provider.stream(request())), {
        code: 'unavailable',
        message: 'The model server could not be reached.',
      })
    })

    test('the key travels in a header only, and the whole conversation with results in the right places', () =>
      using([{ kind: 'text', text: 'Done' }], async (provider, server) => {
        await all(
          provider.stream(
            request({
              messages: [
                { role: 'user', text: 'swap' },
                {
                  role: 'assistant',
                  text: '',
                  toolCalls: [
                    { id: 'a', name: 'swap', arguments: { amount: '1' } },
                    { id: 'b', name: 'swap', arguments: 'broken' },
                  ],
                },
                { role: 'tool', callId: 'a', name: 'swap', result: '{"ok":true}', isError: false },
                { role: 'tool', callId: 'b', name: 'swap', result: '{"ok":false}', isError: true },
                { role: 'user', text: 'thanks' },
              ],
            }),
          ),
        )
        const [asked] = server.asked
        assert.ok(asked)
        assert.doesNotMatch(asked.url, /sk-secret/)
        assert.doesNotMatch(JSON.stringify(asked.body), /sk-secret/)
        assert.match(JSON.stringify(asked.headers), /sk-secret/)
        assert.deepEqual(asked.body[api === 'openai-responses' ? 'input' : 'messages'], CONVERSATION[api])
      }))

    test('without a key none is looked for in the environment', async () => {
      const server = await startModelServer(api, [{ kind: 'text', text: 'Hi' }])
      const before = { ...process.env }
      Object.assign(process.env, {
        OPENAI_API_KEY: KEY,
        ANTHROPIC_API_KEY: KEY,
        ANTHROPIC_AUTH_TOKEN: KEY,
        OPENAI_ORG_ID: KEY,
      })
      try {
        const provider = await providers.find((one) => one.api === api)?.connect({ baseUrl: server.baseUrl })
        assert.ok(provider)
        await all(provider.stream(request()))
        assert.doesNotMatch(JSON.stringify(server.asked), /sk-secret/)
      } finally {
        process.env = before
        await server.close()
      }
    })
  })
}

const OPENAI_MESSAGES = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'swap' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'swap', arguments: '{"amount":"1"}' } },
      { id: 'b', type: 'function', function: { name: 'swap', arguments: '{"unreadable":"broken"}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'a', content: '{"ok":true}' },
  { role: 'tool', tool_call_id: 'b', content: '{"ok":false}' },
  { role: 'user', content: 'thanks' },
]

const ANTHROPIC_MESSAGES = [
  { role: 'user', content: 'swap' },
  {
    role: 'assistant',
    content: [
      { type: 'tool_use', id: 'a', name: 'swap', input: { amount: '1' } },
      { type: 'tool_use', id: 'b', name: 'swap', input: { unreadable: 'broken' } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: '{"ok":true}', is_error: false },
      { type: 'tool_result', tool_use_id: 'b', content: '{"ok":false}', is_error: true },
    ],
  },
  { role: 'user', content: [{ type: 'text', text: 'thanks', cache_control: { type: 'ephemeral' } }] },
]

const RESPONSES_INPUT = [
  { role: 'user', content: 'swap' },
  { type: 'function_call', call_id: 'a', name: 'swap', arguments: '{"amount":"1"}' },
  { type: 'function_call', call_id: 'b', name: 'swap', arguments: '{"unreadable":"broken"}' },
  { type: 'function_call_output', call_id: 'a', output: '{"ok":true}' },
  { type: 'function_call_output', call_id: 'b', output: '{"ok":false}' },
  { role: 'user', content: 'thanks' },
]

const CONVERSATION = {
  'openai-completions': OPENAI_MESSAGES,
  'openai-responses': RESPONSES_INPUT,
  'anthropic-messages': ANTHROPIC_MESSAGES,
}
