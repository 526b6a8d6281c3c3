// One suite over every channel: what the core relies on, wherever people write.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Channel, InboundMessage, Post } from '../../src/harness/channel.ts'
import { discord } from '../../src/harness/channels/discord.ts'
import { channels } from '../../src/harness/channels/index.ts'
import { telegram } from '../../src/harness/channels/telegram.ts'
import { web } from '../../src/harness/channels/web.ts'
import { startBotApi } from '../support/bot-api.ts'
import { startDiscord } from '../support/discord.ts'

/** A channel on a stand-in of its platform. */
type Platform = Readonly<{
  channel: Channel
  conversation: string
  say(text: string): void
  /** What people see, in its order. */
  seen(): readonly string[]
  /** Whether it changes a message when it is told what becomes of it, or tells more. */
  edits: boolean
  close(): Promise<void>
}>

const PLATFORMS: Readonly<Record<string, () => Promise<Platform>>> = {
  async telegram() {
    const bot = await startBotApi()
    const channel = telegram({ account: 'main', botToken: bot.token, apiRoot: bot.apiRoot, pollSeconds: 1 })
    const seen = () => bot.of(42).map(({ text }) => text)
    return { channel, conversation: '42', say: (text) => void bot.say(text), seen, edits: true, close: bot.close }
  },
  async discord() {
    const server = await startDiscord()
    const { restUrl, gatewayUrl, token } = server
    const channel = discord({ account: 'main', botToken: token, restUrl, gatewayUrl })
    const seen = () => server.of('742').map(({ content, embeds }) => JSON.stringify([content, ...embeds]))
    return {
      channel,
      conversation: '@42',
      say: (text) => void server.say(text),
      seen,
      edits: true,
      close: server.close,
    }
  },
  async web() {
    const hub = web()
    const seen: string[] = []
    const start: Channel['start'] = async (receive) => {
      await hub.start(receive)
      hub.subscribe('42', ({ message }) => seen.push(JSON.stringify(message)))
    }
    const channel = { ...hub, start }
    const say = (text: string) => void channel.post({ id: crypto.randomUUID(), conversation: '42', sender: '42', text })
    return { channel, conversation: '42', say, seen: () => seen, edits: false, close: async () => undefined }
  },
}

test('every channel has a stand-in here, and a name of its own', () => {
  assert.deepEqual(
    channels.map(({ name }) => name),
    ['discord', 'telegram', 'web'],
  )
  assert.deepEqual(Object.keys(PLATFORMS).toSorted(), ['discord', 'telegram', 'web'])
})

const post = (body: Post['body'], more: Partial<Post> = {}): Post => {
  return { key: '1.000.000', body, buttons: [], isFinal: true, isRepeat: false, ...more }
}
const CARD = {
  requestHash: `0x${'12'.repeat(32)}`,
  chainId: 1,
  title: 'Swap <b>1</b> USDC',
  outcome: 'rejected',
  reasonCode: 'sink_recipient',
  reason: 'It goes & is lost.',
  lines: [{ label: 'leaves', text: '1 USDC' }],
  checks: [{ id: 'sink_recipient', status: 'failed', reason: 'No.' }],
  execution: null,
} as const

for (const [name, open] of Object.entries(PLATFORMS))
  describe(name, async () => {
    const platform = await open()
    const { channel, conversation } = platform
    const taken: InboundMessage[] = []
    after(async () => {
      await channel.stop()
      await platform.close()
    })

    const until = async (look: () => boolean) => {
      while (!look()) await sleep(5)
    }

    test('before its start it delivers nothing and breaks nothing; it stops before it starts', async () => {
      await channel.stop()
      if (name === 'web') return
      assert.deepEqual((await channel.send(conversation, post({ type: 'text', text: 'early' }))).ok, false)
      assert.equal(channel.state().ok, false)
    })

    test('hands over what a person writes, with the ids of its platform', async () => {
      await channel.start(async (message) => void taken.push(message))
      assert.equal(channel.state().ok, true)
      platform.say('hello')
      await until(() => taken.length === 1)
      const [message] = taken
      assert.deepEqual(
        [message?.text, message?.sender, message?.conversation, message?.group],
        ['hello', '42', conversation, undefined],
      )
      assert.ok(message && message.id.length > 0)
      assert.equal(channel.directWith('42'), conversation)
    })

    test('shows every kind of message, whatever is in it', async () => {
      const bodies = [
        { type: 'text', text: '**bold** `code` <i>no markup</i> & [x](javascript:alert(1))\n```js\nconst a = 1 < 2\n' },
        { type: 'text', text: '| a | b |\n|---|---|\n| 1 | 2 |' },
        { type: 'status', text: 'a < b' },
        { type: 'error', text: 'a > b' },
        { type: 'verdict', card: CARD },
        { type: 'picture', title: 'Limits', png: 'iVBORw0KGgo=' },
      ] as const
      for (const [n, body] of bodies.entries()) {
        const sent = await channel.send(conversation, post(body, { key: `2.00${n}.000` }))
        assert.equal(sent.ok, true, JSON.stringify([body, sent]))
      }
      const all = platform.seen().join('\n')
      for (const words of ['no markup', 'a < b', 'a .{0,3}> b', 'Rejected|rejected', 'Swap <b>1', 'Limits'])
        assert.match(all, new RegExp(words))
    })

    test('takes a text of its full length, and marks what may be there twice', async () => {
      const longest = Math.min(channel.longest, 10_000)
      const text = `${'long '.repeat(longest / 5)}`.slice(0, longest - 1)
      assert.equal((await channel.send(conversation, post({ type: 'text', text }, { key: '3.000.000' }))).ok, true)
      const repeat = post({ type: 'text', text: 'again' }, { key: '4.000.000', isRepeat: true })
      assert.equal((await channel.send(conversation, repeat)).ok, true)
      assert.match(platform.seen().slice(-2).join('\n'), /twice/)
    })

    test('changes a message, also to what it is already', async () => {
      const first = await channel.send(
        conversation,
        post({ type: 'text', text: 'one' }, { key: '5.000.000', isFinal: false }),
      )
      assert.ok(first.ok)
      const count = platform.seen().length
      for (const text of ['one two', 'one two']) {
        const sent = await channel.send(
          conversation,
          post({ type: 'text', text }, { key: '5.000.000', replaces: first.id }),
        )
        assert.equal(sent.ok, true, JSON.stringify(sent))
      }
      if (platform.edits) assert.equal(platform.seen().length, count)
      assert.match(platform.seen().at(-1) ?? '', /two/)
    })

    test('tells that it works and that it rests, and stops more than once', async () => {
      for (const type of ['working', 'idle'] as const)
        assert.equal((await channel.send(conversation, { type })).ok, true)
      await channel.stop()
      await channel.stop()
    })
  })
