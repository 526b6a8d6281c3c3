import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Outbound } from '../../src/harness/channel.ts'
import { createHarness, type HarnessSettings, noSkills, type Trading, tools } from '../../src/harness/index.ts'
import { silentLog } from '../../src/lib/log.ts'
import { ok } from '../../src/lib/result.ts'
import { lazyMemory } from '../support/memory.ts'
import { type Answer, type ModelServer, startModelServer } from '../support/model-servers.ts'
import { standIn, verdictOf } from './stand-in-policy.ts'
import { NOW, STRANGER } from './stand-in-reader.ts'

type Given = Partial<HarnessSettings> & Readonly<{ trading?: Trading | undefined }>

function build(given: Given = {}) {
  const world = standIn(['approved'])
  const harness = createHarness({
    agents: [{ id: 'trader', name: 'Trader', confirm: 'never' }],
    providers: {},
    mode: 'direct',
    trading: world.trading,
    tools,
    memory: lazyMemory(),
    skills: noSkills,
    log: silentLog,
    now: () => NOW,
    ...given,
  })
  let n = 0
  const say = async (text: string, conversation = 'c', id = `m${n++}`) => {
    const out: Outbound[] = []
    await harness.receive('web', { id, conversation, sender: 'u', text }, async (message) => void out.push(message))
    return out
  }
  const textOf = (out: readonly Outbound[]) => out.flatMap((m) => ('text' in m ? [m.text] : [])).join('\n')
  return { ...world, harness, say, ask: async (text: string) => textOf(await say(text)), textOf }
}

/** A harness whose one agent speaks through a scripted model server. */
async function withModel(
  script: Parameters<typeof startModelServer>[1],
  run: (world: ReturnType<typeof build>, server: ModelServer) => Promise<void>,
  given: Given = {},
) {
  const server = await startModelServer('openai-completions', script)
  try {
    const agents = [{ id: 'trader', name: 'Trader', provider: 'local', model: 'm', confirm: 'never' }] as const
    const providers = { local: { api: 'openai-completions', baseUrl: server.baseUrl } }
    await run(build({ agents, providers, ...given }), server)
  } finally {
    await server.close()
  }
}

describe('harness: from a sentence to an execution', () => {
  test('without a model the offline rules answer; the verdict card comes before the words, the end comes last', async () => {
    const { say, executed } = build()
    const out = await say(`send 5 USDC to ${STRANGER}`)
    assert.deepEqual(
      out.map(({ type }) => type),
      ['verdict', 'verdict', 'text', 'end'],
    )
    assert.deepEqual(executed, [0])
  })

  test('a model goes the same way', () =>
    withModel(
      [
        { kind: 'tool-calls', calls: [{ name: 'transfer', arguments: { token: 'USDC', to: STRANGER, amount: '5' } }] },
        { kind: 'text', text: 'Sent.' },
      ],
      async ({ say, executed }, server) => {
        assert.deepEqual(
          (await say('send it')).map(({ type }) => type),
          ['verdict', 'verdict', 'text', 'end'],
        )
        assert.deepEqual(executed, [0])
        assert.match(JSON.stringify(server.asked[0]?.body), /You are Trader/)
        assert.doesNotMatch(JSON.stringify(server.asked), /sk-|0x[0-9a-f]{64}.*key/i)
      },
    ))

  test('what an agent is configured with and cannot have stops the start', () => {
    const wrong = (agent: object, pattern: RegExp) =>
      assert.throws(() => build({ agents: [{ id: 'a', name: 'A', ...agent }] }), {
        code: 'invalid_request',
        message: pattern,
      })
    wrong({ provider: 'nope' }, /The agent a: The provider nope is not configured\./)
    wrong({ fallbacks: [{ provider: 'nope' }] }, /provider nope is not configured/)
    wrong({ tools: ['transfer', 'sudo'] }, /agent a: tools: there is no tool sudo\. Those that there are: .*transfer/)
    build({ agents: [{ id: 'a', name: 'A', budget: { day: { usd: 1 } } }] })
    const providers = { p: { api: 'openai-completions', models: [{ id: 'm' }] } }
    const agents = [{ id: 'a', name: 'A', provider: 'p', budget: { day: { usd: 1 } } }] as const
    assert.throws(() => build({ providers, agents }), /need the price of each of its models/)
  })

  test('an agent has only the tools that it is given, and none without a wallet', async () => {
    const { ask } = build({ agents: [{ id: 'a', name: 'A', tools: ['read_portfolio'] }] })
    assert.match(await ask(`send 5 USDC to ${STRANGER}`), /transfer is switched off/)
    assert.match(await ask('portfolio'), /The wallet holds 1\.5 ETH \(\$4,500\.00\)/)
    const bare = build({ trading: undefined })
    assert.match(await bare.ask('portfolio'), /WALLET_ADDRESS and RPC_URL/)
  })

  test('a forged call of a tool that the agent was not given is refused', () =>
    withModel(
      [
        { kind: 'tool-calls', calls: [{ name: 'transfer', arguments: { token: 'USDC', to: STRANGER, amount: '5' } }] },
        { kind: 'text', text: 'Hm.' },
      ],
      async ({ say, submitted }) => {
        await say('go')
        assert.equal(submitted.length, 0)
      },
      { agents: [{ id: 'trader', name: 'Trader', provider: 'local', model: 'm', tools: ['read_portfolio'] }] },
    ))

  test('@id speaks to that agent, and each has its own history', async () => {
    const agents = [
      { id: 'a', name: 'A', provider: 'one', model: 'm' },
      { id: 'b', name: 'B', provider: 'two', model: 'm' },
    ] as const
    const one = await startModelServer('openai-completions', [{ kind: 'text', text: 'I am A' }])
    const two = await startModelServer('anthropic-messages', [{ kind: 'text', text: 'I am B' }])
    try {
      const providers = {
        one: { api: 'openai-completions', baseUrl: one.baseUrl },
        two: { api: 'anthropic-messages', baseUrl: two.baseUrl },
      }
      const { ask } = build({ agents, providers })
      assert.match(await ask('hello'), /I am A/)
      assert.match(await ask('@b hello you'), /I am B/)
      assert.match(await ask('@nobody hello'), /I am A/)
      assert.deepEqual(two.asked[0]?.body.messages, [
        { role: 'user', content: [{ type: 'text', text: 'hello you', cache_control: { type: 'ephemeral' } }] },
      ])
    } finally {
      await Promise.all([one.close(), two.close()])
    }
  })
})

describe('harness: conversations', () => {
  const counting: Answer[] = [
    { kind: 'text', text: 'one' },
    { kind: 'text', text: 'two' },
    { kind: 'text', text: 'three' },
  ]
  const messagesOf = (server: ModelServer, n: number) => ((server.asked[n]?.body.messages ?? []) as unknown[]).slice(1)

  test('the history goes along, of this conversation only; /new begins anew', () =>
    withModel(counting, async ({ say }, server) => {
      await say('a')
      await say('b')
      assert.equal(messagesOf(server, 1).length, 3)
      await say('c', 'another')
      assert.equal(messagesOf(server, 2).length, 1)
      assert.deepEqual(await say('/new'), [{ type: 'status', text: 'A new conversation.' }, { type: 'end' }])
      await say('d')
      assert.equal(messagesOf(server, 3).length, 1)
    }))

  test('a message delivered twice is answered once', () =>
    withModel(counting, async ({ say }, server) => {
      await say('a', 'c', 'same')
      assert.deepEqual(await say('a', 'c', 'same'), [])
      assert.equal(server.asked.length, 1)
    }))

  test('one turn at a time: messages of one conversation wait for each other, in order', () =>
    withModel(counting, async ({ say, textOf }, server) => {
      const answers = await Promise.all([say('a'), say('b'), say('c')])
      assert.deepEqual(answers.map(textOf), ['one', 'two', 'three'])
      assert.deepEqual(
        [0, 1, 2].map((n) => messagesOf(server, n).length),
        [1, 3, 5],
      )
    }))

  test('too many waiting are turned away; /stop ends the running one and those that wait, /new forgets them', () =>
    withModel([{ kind: 'hang' }], async ({ say, textOf, harness }) => {
      const waiting = Array.from({ length: 6 }, (_, n) => say(`${n}`))
      await pause(5)
      assert.match(textOf(await say('one too many')), /Too many messages/)
      assert.equal(harness.status().running, 1)
      assert.deepEqual(await say('/stop'), [{ type: 'status', text: 'Stopping.' }], 'the end is left to the turn')
      for (const out of await Promise.all(waiting)) assert.match(textOf(out), /Stopped\./)
      assert.match(textOf(await say('/stop')), /Nothing is running/)
      assert.equal(harness.status().running, 0)
    }))

  test('the conversation that was silent longest makes room', async () => {
    const { say, harness } = build({ sessions: { conversations: 2 } })
    for (const conversation of ['a', 'b', 'c']) await say('help', conversation)
    assert.equal(harness.status().conversations, 2)
  })

  test('a chat that cannot be reached stops no execution', async () => {
    const { harness, executed } = build()
    const message = { id: '1', conversation: 'c', sender: 'u', text: `send 5 USDC to ${STRANGER}` }
    await harness.receive('web', message, async () => Promise.reject(new Error('gone')))
    assert.deepEqual(executed, [0])
  })
})

describe('harness: commands', () => {
  test('/help, /start and unknown ones', async () => {
    const { ask } = build()
    for (const name of ['help', 'new', 'stop', 'status', 'whoami', 'verdict'])
      assert.match(await ask('/help'), new RegExp(`/${name}:`))
    assert.match(await ask('/start'), /\/help:/)
    assert.match(await ask('/help@some_bot'), /\/help:/)
    for (const text of ['/nope', '/constructor', '/__proto__'])
      assert.match(await ask(text), /no command|No language model/)
  })

  test('/status and /whoami', async () => {
    const { ask } = build({ mode: 'dry-run' })
    assert.match(
      await ask('/status'),
      /Mode: dry-run \(nothing is ever sent\)\nWallet: 0x0{35}[aA]11[cC][eE] on Ethereum \(1\)/,
    )
    assert.match(await ask('/whoami'), /You are u on web, in conversation c/)
  })

  test('/verdict shows the card, or says that there is none', async () => {
    const { trading } = standIn(['approved'])
    const past = { requestHash: '0x1', description: 'Swap', verdict: verdictOf('rejected') }
    const withPast = { ...trading, reader: { ...trading.reader, verdict: async () => ok(past) } }
    const [card] = await build({ trading: withPast }).say('/verdict')
    assert.ok(card?.type === 'verdict' && card.card.outcome === 'rejected' && card.card.title === 'Swap')
    assert.match(await build().ask('/verdict'), /no verdict yet/)
    assert.match(await build({ trading: undefined }).ask('/verdict'), /No wallet/)
  })

  test('an empty message and one that is far too long are refused', async () => {
    const { ask } = build()
    assert.match(await ask('  '), /empty/)
    assert.match(await ask('x'.repeat(16_001)), /longer than 16000/)
  })
})
