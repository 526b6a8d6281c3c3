import type { Client, REST, WebSocketOptions } from 'discord.js'
import { z } from 'zod'
import { CountersignError, messageOf } from '../../../lib/errors.ts'
import type { ChannelState } from '../../channel.ts'
import { type Me, type Read, readInteraction, readMessage, threadsIn } from './events.ts'
import { faultOf } from './fault.ts'

/** Where a bot is let in, and by what. */
export type GatewaySettings = Readonly<{
  botToken: string
  restUrl?: string | undefined
  gatewayUrl?: string | undefined
}>

/** What is told of the gateway's events. */
export type Listener = Readonly<{
  /** A message for reading came. */
  told(read: Read, rest: REST): Promise<void>
  /** A session began that knows nothing of those before it. */
  begun(me: Me, rest: REST): Promise<void>
}>

/** A connection to Discord: its requests, and the sessions of its gateway, which are the library's. */
export type Gateway = Readonly<{ me: Me; rest: REST; state(): ChannelState; close(): Promise<void> }>

const REST_URL = 'https://discord.com/api'
const LOGIN_WITHIN_MS = 30_000
/** GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES, MESSAGE_CONTENT (https://discord.com/developers/docs/events/gateway#gateway-intents). */
const INTENTS: number = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15)
const NOTHING_KEPT = { MessageManager: 0, UserManager: 0, GuildMemberManager: 0, ReactionManager: 0, ThreadManager: 0 }
/** Why the gateway is closed for good (https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway). */
const FINAL: Readonly<Record<number, string>> = {
  4004: 'Discord does not take the bot token.',
  4010: 'Discord refused the shard.',
  4011: 'This bot is in too many servers for one connection.',
  4012: 'Discord no longer speaks this version of its gateway.',
  4013: 'Discord refused the intents.',
  4014: 'The bot may not read messages: switch on its Message Content intent in the developer portal.',
}

const Begun = z.object({ user: z.object({ id: z.string() }), application: z.object({ id: z.string() }) })

/** Threads that are remembered; the oldest make room. */
const MOST_THREADS = 5_000

type State = { me: Me | undefined; lastHeard: number; problem: string | undefined; isReady: boolean }

/**
 * Opens the gateway. Done when the first session has begun.
 *
 * @throws CountersignError `unauthenticated` where the token is refused, else `unavailable`
 */
export async function openGateway(settings: GatewaySettings, listener: Listener): Promise<Gateway> {
  const life = { isClosed: false }
  const client = await clientOf(settings, life)
  const { rest } = client
  const state: State = { me: undefined, lastHeard: performance.now(), problem: undefined, isReady: false }
  const close = async () => {
    state.isReady = false
    life.isClosed = true
    await client.destroy()
  }
  const began = listenTo(client, { state, rest, listener })
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('late')), LOGIN_WITHIN_MS)
  try {
    const me = await Promise.race([client.login(settings.botToken).then(() => began), began, late.promise])
    return { me, rest, state: () => stateOf(state, client), close }
  } catch (thrown) {
    await close()
    if (thrown instanceof CountersignError) throw thrown
    throw faultOf(thrown).status === 401 || /invalid token/i.test(messageOf(thrown))
      ? new CountersignError('unauthenticated', 'Discord does not take the bot token.')
      : new CountersignError('unavailable', 'Discord could not be reached.')
  } finally {
    clearTimeout(timer)
  }
}

type Life = Readonly<{ isClosed: boolean }>
/** The library's manager of connections. */
type Manager = Parameters<NonNullable<WebSocketOptions['buildStrategy']>>[0]

async function clientOf({ restUrl, gatewayUrl }: GatewaySettings, life: Life): Promise<Client> {
  const { Client: DiscordClient, Options, SimpleShardingStrategy } = await import('discord.js')
  return new DiscordClient({
    intents: INTENTS,
    // What is needed of servers, people and messages is in each event: none of it is kept.
    makeCache: Options.cacheWithLimits(NOTHING_KEPT),
    ws: {
      buildStrategy(manager) {
        endWith(life, manager.options)
        return new SimpleShardingStrategy(manager)
      },
    },
    rest: {
      api: restUrl ?? REST_URL,
      // Waiting and trying again is the outbox's.
      retries: 0,
      rejectOnRateLimit: () => true,
      ...(gatewayUrl !== undefined && { makeRequest: redirected(gatewayUrl) }),
    },
  })
}

/**
 * A client that is closed while the library waits to connect again would connect all the same, and hear what another
 * hears too. Before each connection it asks for the session to go on with: once closed it gets no answer.
 */
function endWith(life: Life, options: Manager['options']): void {
  const { retrieveSessionInfo } = options
  options.retrieveSessionInfo = (shard) =>
    life.isClosed ? Promise.withResolvers<never>().promise : retrieveSessionInfo(shard)
}

/** An event of the gateway, as it came. */
type Dispatch = Readonly<{ t: string; d: unknown }>

type Hearing = Readonly<{ state: State; rest: REST; listener: Listener }>

/** Reads the gateway's events as they are. Done when the first session has begun. */
function listenTo(client: Client, { state, rest, listener }: Hearing): Promise<Me> {
  const { promise, resolve, reject } = Promise.withResolvers<Me>()
  const parents = new Map<string, string>()
  const tell = (fields: Partial<State>) => void Object.assign(state, fields)
  const heard = () => tell({ lastHeard: performance.now() })
  const hear = (read: Read | undefined) => {
    heard()
    if (!read) return
    listener
      .told(read, rest)
      .then(() => state.isReady && tell({ problem: undefined }))
      .catch((thrown: unknown) => tell({ problem: `A message was not taken: ${messageOf(thrown)}` }))
  }
  const begin = (raw: unknown) => {
    const { user, application } = Begun.parse(raw)
    const me = { id: user.id, applicationId: application.id, parentOf: (id: string) => parents.get(id) }
    tell({ me, isReady: true, problem: undefined, lastHeard: performance.now() })
    resolve(me)
    listener
      .begun(me, rest)
      .catch((thrown: unknown) => tell({ problem: `What was missed was not fetched: ${messageOf(thrown)}` }))
  }
  client.on('error', () => tell({ problem: 'The gateway met a fault; it connects again.' }))
  client.on('shardError', () => tell({ problem: 'The gateway met a fault; it connects again.' }))
  client.on('shardReconnecting', () => tell({ isReady: false }))
  client.on('shardResume', () => tell({ isReady: true, problem: undefined, lastHeard: performance.now() }))
  client.on('shardDisconnect', ({ code }) => {
    const problem = FINAL[code] ?? `Discord ended the session for good (code ${code}).`
    tell({ isReady: false, problem })
    reject(new CountersignError(code === 4004 ? 'unauthenticated' : 'unavailable', problem))
  })
  client.on('raw', ({ t, d }: Dispatch) => {
    if (t === 'MESSAGE_CREATE') hear(state.me && readMessage(d, state.me))
    else if (t === 'INTERACTION_CREATE') hear(readInteraction(d))
    else if (t === 'READY') begin(d)
    else if (TELLS_THREADS.has(t)) remember(parents, d)
  })
  return promise
}

const TELLS_THREADS: ReadonlySet<string> = new Set([
  'GUILD_CREATE',
  'THREAD_CREATE',
  'THREAD_UPDATE',
  'THREAD_LIST_SYNC',
])

function remember(parents: Map<string, string>, raw: unknown): void {
  for (const { id, parentId } of threadsIn(raw)) parents.set(id, parentId)
  for (const id of parents.keys()) {
    if (parents.size <= MOST_THREADS) break
    parents.delete(id)
  }
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

function stateOf({ lastHeard, problem, isReady }: State, client: Client): ChannelState {
  const pinged = client.ws.shards.first()?.lastPingTimestamp ?? -1
  const sinceEvent = performance.now() - lastHeard
  const lastHeardMs = Math.round(pinged > 0 ? Math.min(sinceEvent, Date.now() - pinged) : sinceEvent)
  if (problem !== undefined) return { ok: false, detail: problem, lastHeardMs }
  const detail = isReady ? `gateway ready, heard ${Math.round(lastHeardMs / 1_000)} s ago` : 'connecting'
  return { ok: isReady, detail, lastHeardMs }
}
