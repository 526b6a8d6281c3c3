import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AccessSettings } from '../../../src/harness/access.ts'
import { discord } from '../../../src/harness/channels/discord.ts'
import { createSwitchboard } from '../../../src/harness/index.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { openStorage } from '../../../src/storage/index.ts'
import { startDiscord } from '../../support/discord.ts'
import { type Answering, scriptedHarness } from '../../support/scripted-harness.ts'

const opened: (() => Promise<void>)[] = []
after(async () => {
  for (const close of opened.reverse()) await close()
})

type Given = Readonly<{ answer?: Answering; access?: AccessSettings; heartbeatMs?: number }>

async function open({ answer, access = { allowFrom: ['42'] }, heartbeatMs = 20_000 }: Given = {}) {
  const server = await startDiscord({ heartbeatMs })
  const storage = await openStorage({ url: undefined })
  const harness = scriptedHarness(answer)
  const { restUrl, gatewayUrl, token } = server
  const { bookmarks } = storage.stores
  const marks = {
    all: () => bookmarks.all('discord', 'main'),
    set: (channelId: string, lastId: string) => bookmarks.set('discord', 'main', channelId, lastId),
  }
  const menu = [{ name: 'status', help: 'how it is' }]
  const channel = discord({ account: 'main', botToken: token, restUrl, gatewayUrl, menu, bookmarks: marks })
  const accounts = [{ channel, access, isExclusive: true }]
  const switchboard = createSwitchboard({ accounts, harness, storage, log: silentLog })
  await switchboard.start()
  opened.push(async () => {
    await switchboard.stop()
    await storage.close()
    await server.close()
  })
  await server.until(() => channel.state().ok && switchboard.reports()[0]?.state.ok)
  return { server, harness, switchboard, said: () => server.of('742').map(({ content }) => content) }
}

/** The channel without what is built around it. */
async function openAlone() {
  const server = await startDiscord()
  const { restUrl, gatewayUrl, token } = server
  const channel = discord({ account: 'main', botToken: token, restUrl, gatewayUrl })
  opened.push(async () => {
    await channel.stop()
    await server.close()
  })
  return { server, channel }
}

it('answers a direct message once, also when it is told twice', async () => {
  const { server, harness, said } = await open()
  server.say('one')
  server.dispatch('MESSAGE_CREATE', server.history[0]?.raw)
  await server.until(() => said().length === 1)
  server.say('two')
  await server.until(() => said().length === 2)
  assert.deepEqual([said(), harness.received.length], [['You said: one', 'You said: two'], 2])
  assert.ok(server.calls.some(({ path }) => path === '/channels/742/typing'))
})

it('waits as long as a 429 says, and marks what may be there twice', async () => {
  const { server, said } = await open()
  server.trouble(/^POST \/channels\/742\/messages/, { status: 429, retryAfter: 0.6 }, { kind: 'done and cut' })
  const from = performance.now()
  server.say('hello')
  await server.until(() => said().length === 2)
  assert.ok(performance.now() - from > 550)
  assert.equal(said()[0], 'You said: hello')
  assert.match(said()[1] ?? '', /may be here twice[\s\S]*You said: hello/)
})

it('answers a slash command to the one who used it, after it was acknowledged', async () => {
  const { server, harness } = await open({ access: { allowFrom: ['42'], groups: { '500': {} } } })
  const id = server.command('status', 'now', { channel: '600', guild: '500' })
  const [message] = await server.until(() => server.of(`hook tok${id}`).length > 0 && server.of(`hook tok${id}`))
  assert.deepEqual([message?.content, message?.flags], ['You said: /status now', 64])
  assert.equal(server.acknowledged.get(id), 5)
  assert.deepEqual(harness.received[0]?.group, { id: '600', within: ['500'], addressed: true })
})

it('never answers a slash command before its acknowledgement has arrived', async () => {
  const { server } = await open()
  server.trouble(/^POST \/interactions/, { kind: 'late', ms: 200 })
  const id = server.command('status', undefined)
  await server.until(() => server.messages.length > 0)
  assert.deepEqual(
    server.messages.map(({ channel }) => channel),
    [`hook tok${id}`],
  )
})

it('answers a slash command that took too long where nobody else reads, and goes on there', async () => {
  const slow = Promise.withResolvers<void>()
  const answer: Answering = async ({ button }, send) => {
    if (!button) await slow.promise
    const execution = button
      ? ({ mode: 'direct', ok: true, text: 'Executed and mined.', txHash: `0x${'ab'.repeat(32)}` } as const)
      : null
    await send({
      type: 'verdict',
      card: { ...CARD, execution },
      buttons: [{ id: 'a.x', label: 'Execute', style: 'go' }],
    })
  }
  const { server, harness } = await open({ answer, access: { allowFrom: ['42'], groups: { '500': {} } } })
  const id = server.command('swap', '1 USDC', { channel: '600', guild: '500' })
  await server.until(() => harness.received.length === 1)
  server.endInteractions()
  slow.resolve()
  const card = await server.until(() => server.of('742')[0], 'the card in the direct channel')
  server.press(card, 'Execute')
  await server.until(() => card.edits === 1, 'the card changed in its place')
  assert.deepEqual([server.of('600'), server.of(`hook tok${id}`), server.messages.length], [[], [], 1])
})

it('shows a picture as the answer to a slash command', async () => {
  const { server } = await open({
    answer: (_, send) => send({ type: 'picture', title: 'Limits', png: 'iVBORw0KGgo=' }),
  })
  const id = server.command('limits', undefined)
  const [message] = await server.until(() => server.of(`hook tok${id}`).length > 0 && server.of(`hook tok${id}`))
  assert.deepEqual([message?.content, message?.files], ['Limits', 1])
})

it('in a guild hears who is known and speaks to it', async () => {
  const { server, harness } = await open({ access: { allowFrom: ['42'], groups: { '600': {} } } })
  server.say('to others', { channel: '600', guild: '500' })
  server.say('<@9000> from a stranger', { channel: '600', guild: '500', from: '43', mentions: ['9000'] })
  server.say('<@9000> elsewhere', { channel: '601', guild: '500', mentions: ['9000'] })
  server.say('<@9000> hello', { channel: '600', guild: '500', mentions: ['9000'] })
  await server.until(() => server.of('600').length === 1)
  assert.deepEqual(
    harness.received.map(({ text, conversation }) => [text, conversation]),
    [['hello', '600']],
  )
})

it('hears the threads of a channel that is allowed, and of no other', async () => {
  const { server, harness } = await open({ access: { allowFrom: ['42'], groups: { '600': {} } } })
  server.dispatch('GUILD_CREATE', { id: '500', threads: [{ id: '700', parent_id: '600' }, { id: 'odd' }] })
  server.dispatch('THREAD_CREATE', { id: '701', parent_id: '600', guild_id: '500' })
  server.dispatch('THREAD_CREATE', { id: '702', parent_id: '601', guild_id: '500' })
  for (const channel of ['702', '703', '700', '701'])
    server.say(`<@9000> in ${channel}`, { channel, guild: '500', mentions: ['9000'] })
  await server.until(() => server.of('700').length + server.of('701').length === 2)
  assert.deepEqual(
    new Set(harness.received.map(({ conversation, group }) => [conversation, ...(group?.within ?? [])].join(' '))),
    new Set(['700 600 500', '701 600 500']),
  )
})

it('shows a verdict as an embed with buttons, which no text can be, and takes what is pressed', async () => {
  const answer: Answering = async ({ button }, send) => {
    const execution = button
      ? ({ mode: 'direct', ok: true, text: 'Executed and mined.', txHash: `0x${'ab'.repeat(32)}` } as const)
      : null
    const buttons = button ? [] : [{ id: 'abc.x', label: 'Execute', style: 'go' } as const]
    await send({ type: 'verdict', card: { ...CARD, execution }, buttons })
  }
  const { server, harness } = await open({ answer })
  server.say('swap')
  const card = await server.until(() => server.of('742')[0])
  assert.equal(card.embeds[0]?.title, '✓ Approved: Swap 1 USDC @everyone')
  const id = server.press(card, 'Execute')
  await server.until(() => card.edits === 1)
  assert.deepEqual([card.buttons, server.messages.length, server.acknowledged.get(id)], [[], 1, 6])
  assert.match(JSON.stringify(card.embeds[0]?.fields), /Executed and mined\.\\n\[Transaction\]\(https:\/\/etherscan/)
  assert.deepEqual(harness.received[1]?.button, { id: 'abc.x', under: card.id })
  assert.ok(
    server.calls
      .filter(({ path }) => path.endsWith('/messages'))
      .every(({ body }) => JSON.stringify(body).includes('"parse":[]')),
  )
})

it('goes on after op 7, and misses nothing that was written meanwhile', async () => {
  const { server, said } = await open()
  server.reconnect()
  await server.until(() => server.counts.resumed === 1)
  server.say('after')
  await server.until(() => said().length === 1)
  assert.equal(server.counts.identified, 1)
})

it('begins anew after op 9, and fetches what no session told', async () => {
  const { server, said } = await open()
  server.say('before')
  await server.until(() => said().length === 1)
  server.invalidate()
  server.say('meanwhile', { silently: true })
  await server.until(() => said().length === 2, 'what was missed')
  assert.deepEqual([said(), server.counts.identified], [['You said: before', 'You said: meanwhile'], 2])
})

it('gives a connection up that no longer answers heartbeats', async () => {
  const { server, said } = await open({ heartbeatMs: 400 })
  server.answerHeartbeats(false)
  await server.until(() => server.counts.opened > 1, 'another connection')
  server.answerHeartbeats(true)
  await server.until(() => server.counts.resumed + server.counts.identified > 1)
  server.say('alive')
  await server.until(() => said().length === 1)
})

it('a bot whose token is refused says so', async () => {
  const server = await startDiscord()
  const { restUrl, gatewayUrl } = server
  const channel = discord({ account: 'main', botToken: 'wrong.token.x', restUrl, gatewayUrl })
  await assert.rejects(
    channel.start(async () => undefined),
    { code: 'unauthenticated' },
  )
  await server.close()
})

it('a start that fails half way leaves no connection behind', async () => {
  const { server, channel } = await openAlone()
  server.trouble(/^PUT \/applications/, { status: 500 })
  await assert.rejects(
    channel.start(async () => undefined),
    { code: 'unavailable' },
  )
  await server.until(() => server.connections() === 0, 'the connection to be closed')
  assert.equal(channel.state().ok, false)
  await channel.start(async () => undefined)
  assert.deepEqual([server.connections(), channel.state().ok], [1, true])
})

it('that is stopped between two connections opens none any more', async () => {
  const { server, channel } = await openAlone()
  await channel.start(async () => undefined)
  server.reconnect()
  await server.until(() => server.connections() === 0, 'the connection to be closed')
  await channel.stop()
  // The library waits for half a second before it connects again.
  await sleep(1_000)
  assert.deepEqual([server.connections(), server.counts.opened], [0, 1])
})

it('hands messages over in their order, however long each takes', async () => {
  const { server, channel } = await openAlone()
  const kept: string[] = []
  await channel.start(async ({ text }) => {
    if (text === 'one') await new Promise((resolve) => setTimeout(resolve, 100))
    if (text === 'two') throw new Error('The store is away.')
    kept.push(text)
  })
  for (const text of ['one', 'two', 'three']) server.say(text)
  await server.until(() => kept.length === 2)
  assert.deepEqual(kept, ['one', 'three'])
})

it('is well again once messages are taken again', async () => {
  const { server, said, switchboard } = await open()
  server.trouble(/^POST \/interactions/, { status: 404 })
  server.command('status', undefined)
  await server.until(() => switchboard.reports()[0]?.state.ok === false, 'the trouble to be told')
  server.say('still there?')
  await server.until(() => said().includes('You said: still there?'))
  await server.until(() => switchboard.reports()[0]?.state.ok, 'the trouble to be over')
})

const CARD = {
  requestHash: `0x${'12'.repeat(32)}`,
  chainId: 1,
  title: 'Swap 1 USDC @everyone',
  outcome: 'approved',
  reasonCode: 'allowed',
  reason: 'All checks passed.',
  lines: [{ label: 'leaves', text: '1 USDC' }],
  checks: [{ id: 'venue', status: 'passed', reason: 'Allowed.' }],
} as const
