// A stand-in for Discord on loopback, REST and gateway, faithful where it hurts: heartbeats that stop being answered,
// op 7 and op 9, sessions that resume with what was missed and new ones that tell nothing, 429, interactions that must be
// acknowledged before they are answered.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'

export type DiscordMessage = {
  channel: string
  id: string
  content: string
  embeds: readonly Readonly<{
    title: string
    description: string
    fields: readonly { name: string; value: string }[]
  }>[]
  buttons: readonly Readonly<{ label: string; id: string }>[]
  flags: number
  /** Files that came with it. */
  files: number
  edits: number
}
type Trouble =
  | Readonly<{ status: number; retryAfter?: number }>
  | Readonly<{ kind: 'cut' | 'done and cut' }>
  | Readonly<{ kind: 'late'; ms: number }>
type Session = { id: string; seq: number; sent: { t: string; d: unknown; s: number }[]; socket: WebSocket | undefined }

const BOT = '9000'
const APP = '9001'

export type FakeDiscord = Awaited<ReturnType<typeof startDiscord>>

/** Starts the stand-in. Heartbeats are asked for every `heartbeatMs`. */
export async function startDiscord({ token = 'a.discord.token', heartbeatMs = 20_000, delayMs = 0 } = {}) {
  const messages: DiscordMessage[] = []
  const history: { channel: string; id: string; raw: Record<string, unknown> }[] = []
  const calls: { method: string; path: string; body: unknown }[] = []
  const troubles: { pattern: RegExp; trouble: Trouble }[] = []
  const acknowledged = new Map<string, number>()
  const sessions = new Map<string, Session>()
  const counts = { identified: 0, resumed: 0, opened: 0 }
  let nextId = 100_000_000_000_000_000n
  let answersHeartbeats = true
  let interactionsEnded = false
  let current: Session | undefined

  const newId = () => String(nextId++)

  function dispatch(t: string, d: unknown): void {
    if (!current) return
    current.seq += 1
    const event = { t, d, s: current.seq }
    current.sent.push(event)
    current.socket?.send(JSON.stringify({ op: 0, ...event }))
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace(/^\/api\/v10/, '')
    const method = request.method ?? 'GET'
    const body = await bodyOf(request)
    const reply = (status: number, payload?: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(payload === undefined ? undefined : JSON.stringify(payload))
    }
    calls.push({ method, path, body })
    const index = troubles.findIndex(({ pattern }) => pattern.test(`${method} ${path}`))
    const trouble = index === -1 ? undefined : troubles.splice(index, 1)[0]?.trouble
    const needsToken = !/^\/(interactions|webhooks)\//.test(path)
    if (needsToken && request.headers.authorization !== `Bot ${token}`)
      return reply(401, { message: '401: Unauthorized', code: 0 })
    if (trouble && 'status' in trouble) {
      const seconds = trouble.retryAfter ?? 0
      const headers =
        trouble.retryAfter === undefined ? {} : { 'retry-after': String(seconds), 'x-ratelimit-scope': 'user' }
      return reply(trouble.status, { message: 'trouble', retry_after: seconds, global: false }, headers)
    }
    if (trouble?.kind === 'cut') return void request.socket.destroy()
    if (interactionsEnded && path.startsWith('/webhooks/'))
      return reply(401, { message: 'Invalid Webhook Token', code: 50_027 })
    if (delayMs > 0) await sleep(delayMs)
    if (trouble?.kind === 'late') await sleep(trouble.ms)
    const answered = answer(method, path, body as Record<string, unknown>)
    if (trouble?.kind === 'done and cut') return void request.socket.destroy()
    if (answered === undefined) return reply(404, { message: 'Unknown', code: 10_008 })
    reply(answered === null ? 204 : 200, answered ?? undefined)
  }

  function answer(method: string, path: string, body: Record<string, unknown>): object | null | undefined {
    if (path === '/gateway/bot')
      return {
        url: 'wss://gateway.discord.example',
        shards: 1,
        session_start_limit: { total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1 },
      }
    if (path === '/users/@me/channels') return { id: `7${String(body['recipient_id'])}`, type: 1 }
    if (/^\/applications\/\d+\/commands$/.test(path)) return []
    if (path.endsWith('/typing')) return null
    const [, channel = '', , id, query] = /^\/channels\/(\d+)\/messages(\/(\d+))?(?:\?(.*))?$/.exec(path) ?? []
    if (channel !== '') {
      if (method === 'GET') {
        const after = BigInt(new URLSearchParams(query).get('after') ?? '0')
        return history
          .filter((one) => one.channel === channel && BigInt(one.id) > after)
          .map(({ raw }) => raw)
          .reverse()
      }
      return write(channel, id, body)
    }
    const [, interaction] = /^\/interactions\/(\d+)\/[^/]+\/callback/.exec(path) ?? []
    if (interaction !== undefined) {
      acknowledged.set(interaction, Number(body['type']))
      return null
    }
    const [, hookToken = '', , which] = /^\/webhooks\/\d+\/(tok\d+)(\/messages\/(@original|\d+))?/.exec(path) ?? []
    if (hookToken !== '') {
      if (!acknowledged.has(hookToken.slice(3))) return undefined
      const known =
        which === '@original' ? messages.find(({ channel: place }) => place === `hook ${hookToken}`) : undefined
      return write(`hook ${hookToken}`, which === '@original' ? known?.id : which, body)
    }
    return undefined
  }

  function write(channel: string, id: string | undefined, body: Record<string, unknown>): object | undefined {
    const content = typeof body['content'] === 'string' ? body['content'] : ''
    const embeds = (body['embeds'] ?? []) as DiscordMessage['embeds']
    const rows = (body['components'] ?? []) as { components: { label: string; custom_id: string }[] }[]
    const buttons = rows.flatMap(({ components }) => components.map((one) => ({ label: one.label, id: one.custom_id })))
    if (content.length > 2_000) throw new Error('content is too long')
    const known = id === undefined ? undefined : messages.find((message) => message.id === id)
    if (id !== undefined && known === undefined) return undefined
    const flags = Number(body['flags'] ?? 0)
    const files = Number(body['files'] ?? 0)
    const message = known ?? { channel, id: newId(), content, embeds, buttons, flags, files, edits: -1 }
    Object.assign(message, { content, embeds, buttons, files, edits: message.edits + 1 })
    if (!known) messages.push(message)
    return { id: message.id, channel_id: channel, content, author: { id: BOT, bot: true } }
  }

  const http = createServer((request, response) => {
    serve(request, response).catch((thrown: unknown) =>
      response.writeHead(400).end(JSON.stringify({ message: String(thrown), code: 50_035 })),
    )
  })
  await new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening))
  const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await new Promise<void>((listening) => sockets.once('listening', () => listening()))

  sockets.on('connection', (socket) => {
    counts.opened += 1
    let mine: Session | undefined
    socket.send(JSON.stringify({ op: 10, d: { heartbeat_interval: heartbeatMs } }))
    socket.on('message', (data) => {
      const { op, d } = JSON.parse(Buffer.isBuffer(data) ? data.toString('utf8') : '{}') as {
        op: number
        d: Record<string, unknown>
      }
      if (op === 1 && answersHeartbeats) socket.send(JSON.stringify({ op: 11 }))
      if (op === 2) {
        if (d['token'] !== token) return socket.close(4004, 'Authentication failed.')
        counts.identified += 1
        mine = { id: `s${counts.identified}`, seq: 0, sent: [], socket }
        sessions.set(mine.id, mine)
        current = mine
        const user = { id: BOT, username: 'bot', discriminator: '0', avatar: null, bot: true }
        const resume = `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`
        dispatch('READY', {
          v: 10,
          user,
          guilds: [],
          session_id: mine.id,
          resume_gateway_url: resume,
          application: { id: APP, flags: 0 },
        })
      }
      if (op === 6) {
        const session = sessions.get(String(d['session_id']))
        if (!session) return socket.send(JSON.stringify({ op: 9, d: false }))
        counts.resumed += 1
        session.socket = socket
        current = session
        mine = session
        for (const event of session.sent)
          if (event.s > Number(d['seq'])) socket.send(JSON.stringify({ op: 0, ...event }))
        dispatch('RESUMED', {})
      }
    })
    socket.on('close', () => {
      if (mine?.socket === socket) mine.socket = undefined
    })
  })

  const restUrl = `http://127.0.0.1:${(http.address() as AddressInfo).port}/api`
  const gatewayUrl = `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`
  const person = (id: string) => ({ id, username: `u${id}`, discriminator: '0', avatar: null, bot: false })

  return {
    restUrl,
    gatewayUrl,
    token,
    messages,
    calls,
    counts,
    acknowledged,
    /** A person writes, in a direct channel or in one of a guild. `silently`: while no session tells of it. */
    say(
      text: string,
      { from = '42', channel = `7${from}`, guild, mentions = [], silently = false, more = {} }: Said = {},
    ): string {
      const id = newId()
      const raw = {
        id,
        channel_id: channel,
        author: person(from),
        content: text,
        mentions: mentions.map(person),
        attachments: [],
        embeds: [],
        type: 0,
        timestamp: new Date(0).toISOString(),
        ...(guild !== undefined && { guild_id: guild }),
        ...more,
      }
      history.push({ channel, id, raw })
      if (!silently) dispatch('MESSAGE_CREATE', raw)
      return id
    },
    /** Tells of an event once more, or of one that the stand-in does not make. */
    dispatch,
    history,
    command(name: string, text: string | undefined, { from = '42', channel = `7${from}`, guild }: Said = {}): string {
      const id = newId()
      const options = text === undefined ? [] : [{ name: 'text', type: 3, value: text }]
      const who =
        guild === undefined ? { user: person(from) } : { guild_id: guild, member: { user: person(from), roles: [] } }
      dispatch('INTERACTION_CREATE', {
        id,
        application_id: APP,
        type: 2,
        token: `tok${id}`,
        channel_id: channel,
        version: 1,
        entitlements: [],
        authorizing_integration_owners: {},
        app_permissions: '0',
        attachment_size_limit: 1,
        data: { id: '1', name, type: 1, options },
        ...who,
      })
      return id
    },
    press(message: DiscordMessage, label: string, { from = '42', guild }: Said = {}): string {
      const id = newId()
      const button = message.buttons.find((one) => one.label === label)
      if (!button) throw new Error(`There is no button ${label}: ${JSON.stringify(message.buttons)}`)
      const who =
        guild === undefined ? { user: person(from) } : { guild_id: guild, member: { user: person(from), roles: [] } }
      const under = {
        id: message.id,
        channel_id: message.channel,
        author: { ...person(BOT), bot: true },
        content: '',
        flags: message.flags,
      }
      dispatch('INTERACTION_CREATE', {
        id,
        application_id: APP,
        type: 3,
        token: `tok${id}`,
        channel_id: message.channel,
        version: 1,
        entitlements: [],
        authorizing_integration_owners: {},
        app_permissions: '0',
        attachment_size_limit: 1,
        message: under,
        data: { custom_id: button.id, component_type: 2 },
        ...who,
      })
      return id
    },
    trouble: (pattern: RegExp, ...list: Trouble[]) =>
      void troubles.push(...list.map((trouble) => ({ pattern, trouble }))),
    /** Asks for a new connection (op 7). */
    reconnect: () => current?.socket?.send(JSON.stringify({ op: 7, d: null })),
    /** Ends the session (op 9): it cannot be resumed. */
    invalidate() {
      const ended = current
      if (ended) sessions.delete(ended.id)
      ended?.socket?.send(JSON.stringify({ op: 9, d: false }))
    },
    /** Forgets all sessions, and breaks the connection. */
    drop() {
      sessions.clear()
      current?.socket?.terminate()
    },
    /** The tokens of all interactions so far end, as they do after 15 minutes. */
    endInteractions() {
      interactionsEnded = true
    },
    answerHeartbeats(isOn: boolean) {
      answersHeartbeats = isOn
    },
    /** Connections to the gateway that are open. */
    connections: () => sockets.clients.size,
    of: (channel: string) => messages.filter((message) => message.channel === channel),
    async until<T>(look: () => T | undefined | false, what = 'it', ms = 20_000): Promise<T> {
      const deadline = performance.now() + ms
      for (;;) {
        const found = look()
        if (found !== undefined && found !== false) return found
        if (performance.now() > deadline)
          throw new Error(`Waited in vain for ${what}. Told: ${JSON.stringify(messages)}`)
        await sleep(5)
      }
    },
    async close(): Promise<void> {
      for (const socket of sockets.clients) socket.terminate()
      await new Promise((closed) => sockets.close(closed))
      http.closeAllConnections()
      await new Promise((closed) => http.close(closed))
    },
  }
}

type Said = Readonly<{
  from?: string
  channel?: string
  guild?: string
  mentions?: readonly string[]
  silently?: boolean
  more?: Record<string, unknown>
}>

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  if (text === '') return {}
  const [, payload] = /name="payload_json"[^{]*(\{[\s\S]*?\})\r\n--/.exec(text) ?? []
  if (payload === undefined) return JSON.parse(text)
  return { ...(JSON.parse(payload) as object), files: [...text.matchAll(/name="files\[\d+\]"/g)].length }
}
