import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AccessSettings } from '../../src/harness/access.ts'
import { telegram } from '../../src/harness/channels/telegram.ts'
import { createSwitchboard } from '../../src/harness/index.ts'
import { silentLog } from '../../src/lib/log.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { startBotApi } from '../support/bot-api.ts'
import { type Answering, scriptedHarness } from '../support/scripted-harness.ts'

const OWNER = 42
type Given = Readonly<{
  answer?: Answering
  access?: AccessSettings
  storage?: Storage
  leaseMs?: number
  delayMs?: number
}>

const opened: (() => Promise<void>)[] = []
after(async () => {
  for (const close of opened.reverse()) await close()
})

/** A bot on a stand-in of its platform, and a harness that answers as the test says. */
async function open({ answer, access = { allowFrom: [String(OWNER)] }, ...given }: Given = {}) {
  const bot = await startBotApi({ delayMs: given.delayMs ?? 0 })
  const storage = given.storage ?? (await openStorage({ url: undefined }))
  const harness = scriptedHarness(answer)
  const start = async () => {
    const channel = telegram({ account: 'main', botToken: bot.token, apiRoot: bot.apiRoot, pollSeconds: 1 })
    const accounts = [{ channel, access, isExclusive: true }]
    const { leaseMs = 15_000 } = given
    const switchboard = createSwitchboard({ accounts, harness, storage, log: silentLog, leaseMs })
    await switchboard.start()
    return switchboard
  }
  const switchboard = await start()
  opened.push(async () => {
    await switchboard.stop()
    await storage.close()
    await bot.close()
  })
  return { bot, storage, harness, switchboard, start, said: () => bot.of(OWNER).map(({ text }) => text) }
}

describe('what was written', () => {
  it('is answered once, also when it is delivered twice or edited', async () => {
    const { bot, harness, said } = await open()
    const id = bot.say('one')
    await bot.until(() => said().length === 1)
    const message = {
      message_id: id,
      from: { id: OWNER, is_bot: false },
      chat: { id: OWNER, type: 'private' },
      text: 'one',
    }
    bot.update({ message })
    bot.edit(id, 'one, changed')
    bot.say('two')
    await bot.until(() => said().length === 2)
    assert.deepEqual(said(), ['You said: one', 'You said: two'])
    assert.equal(harness.received.length, 2)
  })

  it('is acknowledged only when it is kept', async () => {
    const { bot, storage, said } = await open()
    const { inbox } = storage.stores
    const take = inbox.take
    let failures = 2
    Object.assign(inbox, {
      take: async (message: Parameters<typeof take>[0]) => {
        if (failures-- > 0) throw new Error('the store is away')
        return take(message)
      },
    })
    bot.say('kept in the end')
    await bot.until(() => said().length === 1)
    assert.deepEqual(said(), ['You said: kept in the end'])
  })

  it('has one turn at a time in a conversation, and holds up no other', async () => {
    const waiting = Promise.withResolvers<void>()
    const answer: Answering = async ({ text, sender }, send) => {
      if (sender === '42' && text === 'one') await waiting.promise
      await send({ type: 'text', text: `${sender}: ${text}` })
    }
    const { bot, said } = await open({ answer, access: { allowFrom: ['42', '43'] } })
    bot.say('one')
    bot.say('two')
    bot.say('three', { from: 43 })
    await bot.until(() => bot.of(43).length === 1)
    assert.deepEqual(said(), [])
    waiting.resolve()
    await bot.until(() => said().length === 2)
    assert.deepEqual(said(), ['42: one', '42: two'])
  })

  it('is turned away where too much waits, which is said once', async () => {
    const waiting = Promise.withResolvers<void>()
    const { bot, said, switchboard } = await open({
      answer: async (_, send) => (await waiting.promise, send({ type: 'text', text: 'x' })),
    })
    for (let n = 0; n < 60; n++) bot.say(`message ${n}`)
    await bot.until(() => said().length === 1)
    assert.match(said()[0] ?? '', /Too much is waiting/)
    await bot.until(() => switchboard.reports()[0]?.received === 60)
    waiting.resolve()
    await bot.until(() => said().length === 22)
    assert.deepEqual(
      switchboard.reports().map(({ received, turnedAway }) => [received, turnedAway]),
      [[60, 39]],
    )
  })

  it('of a command waits for no turn', async () => {
    const waiting = Promise.withResolvers<void>()
    const answer: Answering = async ({ text }, send) => {
      if (text !== '/stop') await waiting.promise
      await send({ type: 'text', text: `answer to ${text}` })
    }
    const { bot, said } = await open({ answer })
    bot.say('long')
    bot.say('/stop')
    await bot.until(() => said().length === 1)
    assert.deepEqual(said(), ['answer to /stop'])
    waiting.resolve()
    await bot.until(() => said().length === 2)
  })
})

describe('what is told', () => {
  it('arrives in spite of 429, which holds up the account as long as it says', async () => {
    const { bot, said } = await open()
    bot.trouble('sendMessage', {
      kind: 'status',
      status: 429,
      description: 'Too Many Requests: retry after 1',
      retryAfter: 1,
    })
    const from = performance.now()
    bot.say('hello')
    await bot.until(() => said().length === 1)
    assert.ok(performance.now() - from > 950)
    assert.deepEqual(said(), ['You said: hello'])
  })

  it('is sent again as a possible repeat where it is not known whether it arrived, and never silently', async () => {
    const { bot, said } = await open()
    bot.trouble('sendMessage', { kind: 'done and cut' })
    bot.say('hello')
    await bot.until(() => said().length === 2)
    assert.equal(said()[0], 'You said: hello')
    assert.match(said()[1] ?? '', /may be here twice[\s\S]*You said: hello/)
  })

  it('falls back to plain text where the markup is not taken', async () => {
    const { bot, said } = await open({ answer: async (_, send) => send({ type: 'text', text: '**bold** <b>' }) })
    bot.trouble('sendMessage', { kind: 'status', status: 400, description: "Bad Request: can't parse entities: x" })
    bot.say('hello')
    await bot.until(() => said().length === 1)
    assert.deepEqual(said(), ['**bold** <b>'])
  })

  it('is given up where the platform refuses it for good, and holds up nothing', async () => {
    const { bot, said } = await open()
    bot.trouble('sendMessage', { kind: 'status', status: 403, description: 'Forbidden: bot was blocked by the user' })
    bot.say('one')
    bot.say('two')
    await bot.until(() => said().length === 1)
    assert.deepEqual(said(), ['You said: two'])
  })

  it('grows by edits while it is made, and ends as the whole text in chunks that fit', async () => {
    const long = Array.from({ length: 900 }, (_, n) => `word${n}`).join(' ')
    const answer: Answering = async (_, send) => {
      for (const piece of long.match(/[\s\S]{1,1500}/g) ?? []) {
        await send({ type: 'text', text: piece })
        await sleep(700)
      }
    }
    const { bot, said } = await open({ answer })
    bot.say('go')
    await bot.until(() => bot.of(OWNER).reduce((sum, { edits }) => sum + edits, 0) > 1)
    await bot.until(() => said().join(' ') === long, 'the whole text')
    assert.equal(said().length, 2)
    assert.ok(bot.calls.some(({ method }) => method === 'sendChatAction'))
  })

  it('of a verdict takes its own place again when there is more to tell of it', async () => {
    const card = (execution: null | { mode: 'direct'; ok: boolean; text: string; txHash: string }) =>
      ({ type: 'verdict', card: { ...CARD, execution } }) as const
    const answer: Answering = async (_, send) => {
      await send(card(null))
      await send({ type: 'text', text: 'now' })
      await send(card({ mode: 'direct', ok: true, text: 'Executed and mined.', txHash: `0x${'ab'.repeat(32)}` }))
    }
    const { bot, said } = await open({ answer })
    bot.say('go')
    await bot.until(() => said().length === 2 && said()[0]?.includes('mined'))
    assert.match(
      said()[0] ?? '',
      /✓ Approved: Swap 1 USDC\n[\s\S]*leaves {2}1 USDC[\s\S]*✓ venue[\s\S]*Executed and mined/,
    )
    assert.equal(said()[1], 'now')
  })
})

const CARD = {
  requestHash: `0x${'12'.repeat(32)}`,
  chainId: 1,
  title: 'Swap 1 USDC',
  outcome: 'approved',
  reasonCode: 'allowed',
  reason: 'All checks passed.',
  lines: [{ label: 'leaves', text: '1 USDC' }],
  checks: [{ id: 'venue', status: 'passed', reason: 'Allowed.' }],
} as const

describe('after a process that is gone', () => {
  it('what it had begun is answered, in the message that it had begun with', async () => {
    const url = undefined
    const storage = await openStorage({ url })
    const { inbox, outbox } = storage.stores
    const message = { id: '42:7', conversation: '42', sender: '42', text: 'from before' }
    const row = { channel: 'telegram', account: 'main', messageId: '42:7', conversation: '42', message, owner: 'gone' }
    const seq = (await inbox.take(row)) ?? 0
    await inbox.begin(seq, 'gone')
    const { bot, said } = await open({ storage })
    await bot.until(() => said().length === 1)
    assert.deepEqual(said(), ['You said: from before'])
    while ((await outbox.ofTurn(seq)).length > 0) await sleep(5)
  })

  it('what it was sending goes out marked, what had not left goes out as it is', async () => {
    const storage = await openStorage({ url: undefined })
    const letter = { turn: null, channel: 'telegram', account: 'main', conversation: '42' }
    const body = (text: string) => ({ body: { type: 'status', text }, buttons: [] })
    await storage.stores.outbox.put({ ...letter, key: 'a', body: body('on its way'), state: 'sending' })
    await storage.stores.outbox.put({ ...letter, key: 'b', body: body('waiting'), state: 'waiting' })
    const { bot, said } = await open({ storage })
    await bot.until(() => said().length === 2)
    assert.match(said()[0] ?? '', /may be here twice[\s\S]*on its way/)
    assert.equal(said()[1], 'waiting')
  })

  it('an answer that may have executed something is told, and not made again', async () => {
    const storage = await openStorage({ url: undefined })
    const message = { id: '42:7', conversation: '42', sender: '42', text: 'swap' }
    const row = { channel: 'telegram', account: 'main', messageId: '42:7', conversation: '42', message, owner: 'gone' }
    const seq = (await storage.stores.inbox.take(row)) ?? 0
    await storage.stores.inbox.begin(seq, 'gone')
    const body = { body: { type: 'verdict', card: { ...CARD, execution: null } }, buttons: [] }
    const letter = { turn: seq, channel: 'telegram', account: 'main', conversation: '42' }
    await storage.stores.outbox.put({ ...letter, key: `${seq}.000.000`, body, state: 'waiting' })
    const { bot, said, harness } = await open({ storage })
    await bot.until(() => said().length === 2)
    assert.match(said()[0] ?? '', /Approved: Swap 1 USDC[\s\S]*Not executed/)
    assert.match(said()[1] ?? '', /interrupted by a restart/)
    assert.equal(harness.received.length, 0)
  })

  it('a second process waits for the first one to be gone', async () => {
    const { bot, storage, switchboard, start, said, harness } = await open({ leaseMs: 1_000 })
    Object.assign(storage, { dialect: 'postgres' })
    const second = await start()
    bot.say('one')
    await bot.until(() => said().length === 1)
    assert.deepEqual(
      second.reports().map(({ state }) => state.detail),
      ['another process has it'],
    )
    await switchboard.stop()
    bot.say('two')
    await bot.until(() => said().length === 2)
    assert.deepEqual([said(), harness.received.length], [['You said: one', 'You said: two'], 2])
    await second.stop()
  })
})

describe('who may write', () => {
  it('nobody, where nobody is named; a stranger is told so once', async () => {
    const { bot, said, harness } = await open({ access: {} })
    bot.say('hello')
    bot.say('hello?')
    await bot.until(() => said().length === 1)
    await bot.until(() => bot.pending() === 0)
    assert.match(said()[0] ?? '', /do not know you. Your id here is 42/)
    assert.deepEqual([said().length, harness.received.length], [1, 0])
  })

  it('who is let in by a code that the owner confirms', async () => {
    const { bot, storage, said, harness } = await open({ access: { pairing: true, owners: ['1'] } })
    bot.say('hello')
    const [, code = ''] = await bot.until(() => /code is (\w{8})\./.exec(said()[0] ?? '') ?? undefined)
    assert.doesNotMatch(code, /[01IO]/)
    for (const from of [2, 3, 4]) bot.say('me too', { from })
    await bot.until(() => bot.of(2).length + bot.of(3).length === 2)
    await bot.until(() => bot.pending() === 0)
    assert.deepEqual(bot.of(4), [], 'three may wait at most')
    assert.equal((await storage.stores.pairings.approve(code, 'telegram:1'))?.sender, '42')
    assert.equal(await storage.stores.pairings.approve(code, 'telegram:1'), undefined)
    bot.say('now')
    await bot.until(() => harness.received.length === 1)
    assert.deepEqual([harness.received[0]?.text, harness.received[0]?.isOwner], ['now', false])
  })

  it('in a group that is named, who is known, when the bot is spoken to', async () => {
    const access = { allowFrom: ['42'], groups: { '-100': {}, '-200': { requireMention: false } } }
    const { bot, harness } = await open({ access })
    const mention = [{ type: 'mention', offset: 0, length: 9 }]
    bot.say('not to the bot', { chat: -100 })
    bot.say('@test_bot from a stranger', { chat: -100, from: 9, entities: mention })
    bot.say('@test_bot elsewhere', { chat: -300, entities: mention })
    bot.say('@test_bot hello', { chat: -100, entities: mention, message_thread_id: 5, is_topic_message: true })
    bot.say('a reply', { chat: -100, reply_to_message: { from: { id: 1000, is_bot: true } } })
    bot.say('to all', { chat: -200 })
    bot.update({
      message: { message_id: 99, from: { id: 42, is_bot: true }, chat: { id: 42, type: 'private' }, text: 'a bot' },
    })
    await bot.until(() => harness.received.length === 3)
    await bot.until(() => bot.pending() === 0)
    assert.deepEqual(
      harness.received.map(({ conversation, text }) => `${conversation} ${text}`).toSorted((a, b) => (a < b ? -1 : 1)),
      ['-100 a reply', '-100:5 hello', '-200 to all'],
    )
    const told = await bot.until(() => bot.of(-100).find(({ text }) => text === 'You said: hello'))
    assert.equal(told.thread, 5)
  })
})

it('a schedule has its answer in the chat of the owner, once', async () => {
  const { bot, switchboard, said, harness } = await open({ access: { owners: ['42'] } })
  await bot.until(() => switchboard.reports()[0]?.state.ok)
  assert.equal(await switchboard.prompt('main', { id: 'daily 1', text: 'report' }), true)
  assert.equal(await switchboard.prompt('main', { id: 'daily 1', text: 'report' }), false)
  await bot.until(() => said().length === 1)
  assert.deepEqual(
    harness.received.map(({ isScheduled, agent }) => [isScheduled, agent]),
    [[true, 'main']],
  )
})

it('a bot whose token is refused takes nothing else down, and says so', async () => {
  const bot = await startBotApi()
  const storage = await openStorage({ url: undefined })
  const channel = telegram({ account: 'main', botToken: '1:wrong', apiRoot: bot.apiRoot })
  const accounts = [{ channel, access: {}, isExclusive: true }]
  const switchboard = createSwitchboard({ accounts, harness: scriptedHarness(), storage, log: silentLog })
  await switchboard.start()
  const detail = await bot.until(
    () => switchboard.reports()[0]?.state.detail !== 'starting' && switchboard.reports()[0]?.state,
  )
  assert.deepEqual(detail, { ok: false, detail: 'Telegram does not take the bot token.' })
  await switchboard.stop()
  await storage.close()
  await bot.close()
})

it('a webhook takes what comes with its secret, and nothing else', async () => {
  const bot = await startBotApi()
  const webhook = { url: 'https://bot.example/channels/telegram/main', secret: 'a-secret-of-a-webhook' }
  const channel = telegram({ account: 'main', botToken: bot.token, apiRoot: bot.apiRoot, webhook })
  const taken: string[] = []
  await channel.start(async ({ text }) => void taken.push(text))
  assert.deepEqual(bot.webhook(), { url: webhook.url, secret: webhook.secret })
  const update = {
    update_id: 1,
    message: { message_id: 1, from: { id: 1 }, chat: { id: 1, type: 'private' }, text: 'hi' },
  }
  assert.equal(await channel.accept('another', update), false)
  assert.equal(await channel.accept(webhook.secret, update), true)
  assert.equal(await channel.accept(webhook.secret, { nothing: true }), true)
  assert.deepEqual(taken, ['hi'])
  await channel.stop()
  await bot.close()
})
