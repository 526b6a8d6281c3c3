import type { Client, REST } from 'discord.js'
import { CountersignError, messageOf } from '../../lib/errors.ts'
import type { Button, Channel, ChannelState, Post, Receive, Sent } from '../channel.ts'
import { type Me, missedIn, type Read, readInteraction, readMessage } from './discord/events.ts'
import { type DiscordFault, faultOf } from './discord/fault.ts'
import { LONGEST, rendered } from './discord/render.ts'

/** One bot. `restUrl` and `gatewayUrl` are where Discord is, for a stand-in. */
export type DiscordSettings = Readonly<{
  account: string
  botToken: string
  restUrl?: string | undefined
  gatewayUrl?: string | undefined
  /** Commands that the platform lists. */
  menu?: readonly Readonly<{ name: string; help: string }>[] | undefined
  /** Up to where each channel was read: what was missed after that is fetched. */
  bookmarks?: Readonly<{
    all(): Promise<ReadonlyMap<string, string>>
    set(channelId: string, lastId: string): Promise<void>
  }>
}>

const PACE_MS = 1_000
const REST_URL = 'https://discord.com/api'
const LOGIN_WITHIN_MS = 30_000
/** Flag of a message that one person alone sees. */
const EPHEMERAL = 64
const CALLBACK = { deferredAnswer: 5, deferredUpdate: 6 } as const
const STYLES = { go: 3, stop: 4, plain: 2 } as const

type State = {
  client: Client | undefined
  me: Me | undefined
  lastHeard: number
  problem: string | undefined
  isReady: boolean
}

/** One Discord bot. The gateway's sessions are the library's; what a new session does not tell is fetched. */
export function discord(settings: DiscordSettings): Channel {
  const state: State = { client: undefined, me: undefined, lastHeard: 0, problem: undefined, isReady: false }
  const direct = new Map<string, string>()
  return {
    name: 'discord',
    account: settings.account,
    longest: LONGEST,
    paceMs: () => PACE_MS,
    directWith: (person) => `@${person}`,
    async start(receive) {
      const { bookmarks } = settings
      state.client = await connect(settings, state, {
        told: (read, rest) => take(read, rest, { receive, bookmarks }),
        begun: (me, rest) => catchUp(rest, me, { receive, bookmarks }),
      })
    },
    async stop() {
      state.isReady = false
      await state.client?.destroy()
    },
    async send(conversation, post) {
      const rest = state.client?.rest
      if (!rest) return { ok: false, why: 'later', afterMs: 0, reason: 'the bot is not connected' }
      try {
        if ('body' in post && post.replyTo !== undefined) return await answer(rest, post.replyTo, post)
        const channelId = await channelOf(conversation, rest, direct)
        if ('body' in post) return await write(rest, `/channels/${channelId}/messages`, post)
        if (post.type === 'working') void rest.post(`/channels/${channelId}/typing`).catch(() => undefined)
        return { ok: true, id: '' }
      } catch (thrown) {
        return sentOf(faultOf(thrown))
      }
    },
    state: () => stateOf(state),
  }
}

type Taking = Readonly<{ receive: Receive; bookmarks: DiscordSettings['bookmarks'] }>

/** Keeps a message, and only then acknowledges it. */
async function take(read: Read, rest: REST, { receive, bookmarks }: Taking): Promise<void> {
  await receive(read.message)
  if (read.interaction) {
    const { id, token, kind } = read.interaction
    const type = kind === 'command' ? CALLBACK.deferredAnswer : CALLBACK.deferredUpdate
    const data = kind === 'command' && read.isPrivate ? { data: { flags: EPHEMERAL } } : {}
    await rest.post(`/interactions/${id}/${token}/callback`, { body: { type, ...data }, auth: false })
  }
  if (read.bookmark) await bookmarks?.set(read.bookmark.channelId, read.bookmark.messageId)
}

/** What was written while no session told of it. */
async function catchUp(rest: REST, me: Me, taking: Taking): Promise<void> {
  for (const [channelId, lastId] of (await taking.bookmarks?.all()) ?? []) {
    const query = new URLSearchParams({ after: lastId, limit: '100' })
    const missed = await rest.get(`/channels/${channelId}/messages`, { query }).catch(() => [])
    for (const read of missedIn(missed, me)) await take(read, rest, taking)
  }
}

async function channelOf(conversation: string, rest: REST, direct: Map<string, string>): Promise<string> {
  if (!conversation.startsWith('@')) return conversation
  const known = direct.get(conversation)
  if (known !== undefined) return known
  const made = await rest.post('/users/@me/channels', { body: { recipient_id: conversation.slice(1) } })
  const id = made instanceof Object && 'id' in made ? String(made.id) : ''
  direct.set(conversation, id)
  return id
}

type Listener = Readonly<{ told(read: Read, rest: REST): Promise<void>; begun(me: Me, rest: REST): Promise<void> }>

/** Opens the gateway. Done when the first session has begun. */
async function connect(settings: DiscordSettings, state: State, listener: Listener): Promise<Client> {
  const { Client: DiscordClient, GatewayIntentBits, Options, Partials } = await import('discord.js')
  const { Guilds, GuildMessages, DirectMessages, MessageContent } = GatewayIntentBits
  const client = new DiscordClient({
    intents: [Guilds, GuildMessages, DirectMessages, MessageContent],
    partials: [Partials.Channel],
    // Nothing of people is kept in memory: what is needed is in each event.
    makeCache: Options.cacheWithLimits({
      MessageManager: 0,
      UserManager: 0,
      GuildMemberManager: 0,
      ReactionManager: 0,
    }),
    rest: {
      api: settings.restUrl ?? REST_URL,
      // Waiting and trying again is the outbox's.
      retries: 0,
      rejectOnRateLimit: () => true,
      ...(settings.gatewayUrl !== undefined && { makeRequest: redirected(settings.gatewayUrl) }),
    },
  })
  const began = listenTo(client, state, listener)
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('late')), LOGIN_WITHIN_MS)
  try {
    await Promise.race([client.login(settings.botToken).then(() => began), late.promise])
    await register(client.rest, state.me, settings.menu ?? [])
    return client
  } catch (thrown) {
    await client.destroy()
    const isRefused = faultOf(thrown).status === 401 || /invalid token/i.test(messageOf(thrown))
    throw isRefused
      ? new CountersignError('unauthenticated', 'Discord does not take the bot token.')
      : new CountersignError('unavailable', 'Discord could not be reached.')
  } finally {
    clearTimeout(timer)
  }
}

type Begun = Readonly<{ user: Readonly<{ id: string }>; application: Readonly<{ id: string }> }>

/** Reads the gateway's events as they are. Done when the first session has begun. */
async function listenTo(client: Client, state: State, listener: Listener): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const tell = (fields: Partial<State>) => void Object.assign(state, fields)
  const hear = (read: Read | undefined) => {
    tell({ lastHeard: performance.now() })
    if (!read) return
    listener
      .told(read, client.rest)
      .catch((thrown: unknown) => tell({ problem: `A message was not taken: ${messageOf(thrown)}` }))
  }
  client.on('error', () => tell({ problem: 'The gateway met a fault; the library connects again.' }))
  client.on('shardReconnecting', () => tell({ isReady: false }))
  client.on('shardResume', () => tell({ isReady: true, problem: undefined, lastHeard: performance.now() }))
  client.on('invalidated', () => tell({ isReady: false, problem: 'Discord ended the session for good.' }))
  client.on('raw', ({ t, d }: Readonly<{ t: string; d: unknown }>) => {
    if (t === 'MESSAGE_CREATE') hear(state.me && readMessage(d, state.me))
    else if (t === 'INTERACTION_CREATE') hear(readInteraction(d))
    else if (t === 'READY') {
      const { user, application } = d as Begun
      const me = { id: user.id, applicationId: application.id }
      tell({ me, isReady: true, problem: undefined, lastHeard: performance.now() })
      resolve()
      listener
        .begun(me, client.rest)
        .catch((thrown: unknown) => tell({ problem: `What was missed was not fetched: ${messageOf(thrown)}` }))
    }
  })
  return promise
}

async function register(rest: REST, me: Me | undefined, menu: NonNullable<DiscordSettings['menu']>): Promise<void> {
  if (!me) return
  const option = { type: 3, name: 'text', description: 'what it is about', required: false }
  const body = menu.map(({ name, help }) => ({ name, type: 1, description: help.slice(0, 100), options: [option] }))
  await rest.put(`/applications/${me.applicationId}/commands`, { body })
}

/** Requests as they are, but for the gateway's address, which is told by us. */
function redirected(gatewayUrl: string) {
  return async (url: string, init: object): Promise<Response> => {
    const response = await fetch(url, init)
    if (!response.ok || !url.includes('/gateway/bot')) return response
    const told = (await response.json()) as object
    return new Response(JSON.stringify({ ...told, url: gatewayUrl }), {
      headers: { 'content-type': 'application/json' },
    })
  }
}

async function write(rest: REST, messages: `/${string}`, post: Post): Promise<Sent> {
  const { replaces } = post
  const body = { ...rendered(post), components: rowsOf(post.buttons), allowed_mentions: { parse: [] } }
  const files =
    post.body.type === 'picture' ? [{ name: 'picture.png', data: Buffer.from(post.body.png, 'base64') }] : []
  if (replaces === undefined) return idOf(await rest.post(messages, { body, files }))
  try {
    return idOf(await rest.patch(`${messages}/${replaces}`, { body }))
  } catch (thrown) {
    // The one that it was to take the place of is gone.
    if (faultOf(thrown).status !== 404) throw thrown
    return write(rest, messages, { ...post, replaces: undefined })
  }
}

/** The answer to a slash command: the first message is the answer that was promised, others follow it. */
async function answer(rest: REST, replyTo: string, post: Post): Promise<Sent> {
  const [kind = '', path = ''] = replyTo.split(':')
  const isFirst = kind === 'command' && post.key.endsWith('.000.000')
  const body = {
    ...rendered(post),
    components: rowsOf(post.buttons),
    allowed_mentions: { parse: [] },
    flags: EPHEMERAL,
  }
  const earlier = post.replaces ?? (isFirst ? '@original' : undefined)
  const sent =
    earlier === undefined
      ? await rest.post(`/webhooks/${path}`, { body, auth: false })
      : await rest.patch(`/webhooks/${path}/messages/${earlier}`, { body, auth: false })
  return idOf(sent)
}

function idOf(message: unknown): Sent {
  return { ok: true, id: message instanceof Object && 'id' in message ? String(message.id) : '' }
}

function rowsOf(buttons: readonly Button[]) {
  if (buttons.length === 0) return []
  return [
    {
      type: 1,
      components: buttons.map(({ id, label, style }) => ({ type: 2, style: STYLES[style], label, custom_id: id })),
    },
  ]
}

function sentOf({ status, retryAfterMs, isUnsent, description }: DiscordFault): Sent {
  if (status === 429) return { ok: false, why: 'later', afterMs: retryAfterMs ?? 1_000, reason: description }
  if (isUnsent) return { ok: false, why: 'later', afterMs: 0, reason: description }
  if (status === undefined || status >= 500) return { ok: false, why: 'unknown', reason: description }
  return { ok: false, why: 'refused', reason: description }
}

function stateOf({ client, lastHeard, problem, isReady }: State): ChannelState {
  const pinged = client?.ws.shards.first()?.lastPingTimestamp ?? -1
  const sinceEvent = performance.now() - lastHeard
  const lastHeardMs = Math.round(pinged > 0 ? Math.min(sinceEvent, Date.now() - pinged) : sinceEvent)
  if (problem !== undefined) return { ok: false, detail: problem, lastHeardMs }
  return {
    ok: isReady,
    detail: isReady ? `gateway ready, heard ${Math.round(lastHeardMs / 1_000)} s ago` : 'connecting',
    lastHeardMs,
  }
}
