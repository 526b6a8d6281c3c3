// A stand-in for Telegram's Bot API on loopback, faithful where it hurts: updates are told again until they are
// acknowledged by an offset, a second poller gets 409, markup is parsed and refused, an edit that changes nothing is an
// error, 429 carries retry_after, and webhooks bring what is not acknowledged again.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type FakeMessage = {
  chat: number
  id: number
  text: string
  html: boolean
  buttons: readonly Readonly<{ text: string; data: string }>[]
  edits: number
  thread: number | undefined
  at: number
}

/** What the server does with the next calls of a method instead of answering them. */
export type Trouble =
  | Readonly<{ kind: 'status'; status: number; description: string; retryAfter?: number }>
  /** The call is carried out, and the connection breaks before its answer. */
  | Readonly<{ kind: 'done and cut' }>
  /** The connection breaks before anything is done. */
  | Readonly<{ kind: 'cut' }>

const TAGS = ['b', 'i', 'code', 'pre', 'a', 'blockquote'] as const

export type BotApi = Awaited<ReturnType<typeof startBotApi>>

/** Starts the stand-in. `token` is the one that it takes. */
export async function startBotApi({ token = '1000:token', username = 'test_bot', delayMs = 0, port = 0 } = {}) {
  const messages: FakeMessage[] = []
  const calls: { method: string; body: Record<string, unknown>; at: number }[] = []
  const troubles = new Map<string, Trouble[]>()
  const watchers = new Set<() => void>()
  let updates: { update_id: number; [kind: string]: unknown }[] = []
  let nextUpdate = 1
  let nextMessage = 1
  let poller: { end(status: number): void; isWaiting: boolean } | undefined
  let webhook: { url: string; secret: string } | undefined
  const botId = Number(token.split(':')[0])

  const changed = () => {
    for (const look of watchers) look()
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, given, method = ''] = /^\/bot([^/]+)\/(\w+)/.exec(request.url ?? '') ?? []
    const body = await bodyOf(request)
    const reply = (status: number, payload: object) => {
      if (response.writableEnded) return
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(payload))
    }
    const refuse = (status: number, description: string, retryAfter?: number) =>
      reply(status, {
        ok: false,
        error_code: status,
        description,
        ...(retryAfter !== undefined && { parameters: { retry_after: retryAfter } }),
      })
    if (given !== token) return refuse(401, 'Unauthorized')
    calls.push({ method, body, at: performance.now() })
    if (calls.length > 5_000) calls.splice(0, 2_500)
    const trouble = troubles.get(method)?.shift()
    if (trouble?.kind === 'cut') return void request.socket.destroy()
    if (trouble?.kind === 'status') return refuse(trouble.status, trouble.description, trouble.retryAfter)
    if (delayMs > 0) await sleep(delayMs)
    const ok = (result: unknown) => {
      if (trouble?.kind === 'done and cut') return void request.socket.destroy()
      reply(200, { ok: true, result })
    }
    switch (method) {
      case 'getMe':
        return ok({ id: botId, is_bot: true, first_name: 'Test', username })
      case 'setMyCommands':
      case 'answerCallbackQuery':
      case 'sendChatAction':
        return ok(true)
      case 'deleteWebhook':
        webhook = undefined
        return ok(true)
      case 'setWebhook':
        webhook = { url: String(body['url']), secret: String(body['secret_token']) }
        return ok(true)
      case 'getUpdates':
        return poll(body, response, ok, refuse)
      case 'sendMessage':
        return write(body, undefined, ok, refuse)
      case 'sendPhoto':
        return write({ ...body, text: textIn(body['caption']) || '[photo]' }, undefined, ok, refuse)
      case 'editMessageText': {
        const found = messages.find(
          ({ chat, id }) => chat === Number(body['chat_id']) && id === Number(body['message_id']),
        )
        return found ? write(body, found, ok, refuse) : refuse(400, 'Bad Request: message to edit not found')
      }
      default:
        return refuse(404, 'Not Found: method not found')
    }
  }

  type Ok = (result: unknown) => void
  type Refuse = (status: number, description: string, retryAfter?: number) => void

  function poll(body: Record<string, unknown>, response: ServerResponse, ok: Ok, refuse: Refuse): void {
    if (webhook) return refuse(409, "Conflict: can't use getUpdates method while webhook is active")
    poller?.end(409)
    const offset = Number(body['offset'] ?? 0)
    if (offset > 0) updates = updates.filter(({ update_id: id }) => id >= offset)
    const give = () => ok(updates.slice(0, Number(body['limit'] ?? 100)))
    if (updates.length > 0 || Number(body['timeout'] ?? 0) === 0) return give()
    const mine = {
      isWaiting: true,
      end(status: number) {
        if (!mine.isWaiting) return
        mine.isWaiting = false
        clearTimeout(timer)
        watchers.delete(look)
        if (poller === mine) poller = undefined
        if (status === 409)
          refuse(
            409,
            'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
          )
        else give()
      },
    }
    const look = () => updates.length > 0 && mine.end(200)
    const timer = setTimeout(() => mine.end(200), Number(body['timeout']) * 1_000)
    watchers.add(look)
    poller = mine
    response.once('close', () => {
      mine.isWaiting = false
      clearTimeout(timer)
      watchers.delete(look)
      if (poller === mine) poller = undefined
    })
  }

  function write(body: Record<string, unknown>, edited: FakeMessage | undefined, ok: Ok, refuse: Refuse): void {
    const raw = textIn(body['text'])
    const isHtml = body['parse_mode'] === 'HTML'
    const parsed = isHtml ? parseHtml(raw) : { text: raw }
    if ('error' in parsed) return refuse(400, `Bad Request: can't parse entities: ${parsed.error}`)
    if (parsed.text.trim() === '') return refuse(400, 'Bad Request: message text is empty')
    if (parsed.text.length > 4_096) return refuse(400, 'Bad Request: message is too long')
    const markup = body['reply_markup'] as { inline_keyboard?: { text: string; callback_data: string }[][] } | undefined
    const rows = markup?.inline_keyboard ?? []
    const buttons = rows.flat().map(({ text, callback_data: data }) => ({ text, data }))
    if (buttons.some(({ data }) => Buffer.byteLength(data) > 64)) return refuse(400, 'Bad Request: BUTTON_DATA_INVALID')
    const now = performance.now()
    if (edited) {
      if (edited.text === parsed.text && JSON.stringify(edited.buttons) === JSON.stringify(buttons))
        return refuse(
          400,
          'Bad Request: message is not modified: specified new message content and reply markup are exactly the same',
        )
      Object.assign(edited, { text: parsed.text, buttons, edits: edited.edits + 1, html: isHtml })
    } else {
      const thread = body['message_thread_id'] === undefined ? undefined : Number(body['message_thread_id'])
      messages.push({
        chat: Number(body['chat_id']),
        id: nextMessage++,
        text: parsed.text,
        html: isHtml,
        buttons,
        edits: 0,
        thread,
        at: now,
      })
    }
    const written = edited ?? messages.at(-1)
    ok({ message_id: written?.id, date: 0, chat: { id: written?.chat, type: 'private' }, text: parsed.text })
    changed()
  }

  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  const apiRoot = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  function update(content: object): number {
    const id = nextUpdate++
    updates.push({ update_id: id, ...content })
    changed()
    return id
  }

  return {
    apiRoot,
    token,
    messages,
    calls,
    pending: () => updates.length,
    webhook: () => webhook,
    /** A person writes in a private chat with the bot, or in a group. */
    say(
      text: string,
      { from = 42, chat = from, type = chat < 0 ? 'supergroup' : 'private', ...more }: Said = {},
    ): number {
      const id = nextMessage++
      const message = {
        message_id: id,
        date: 0,
        from: { id: from, is_bot: false, first_name: 'P' },
        chat: { id: chat, type },
        text,
        ...more,
      }
      update({ message })
      return id
    },
    /** The same person changes an earlier message. */
    edit(id: number, text: string, { from = 42, chat = from }: Said = {}): void {
      const sender = { id: from, is_bot: false, first_name: 'P' }
      update({
        edited_message: {
          message_id: id,
          date: 0,
          edit_date: 1,
          from: sender,
          chat: { id: chat, type: 'private' },
          text,
        },
      })
    },
    press(message: FakeMessage, label: string, from = message.chat): void {
      const button = message.buttons.find(({ text }) => text === label)
      if (!button) throw new Error(`There is no button ${label}: ${JSON.stringify(message.buttons)}`)
      update({
        callback_query: {
          id: String(nextUpdate),
          from: { id: from, is_bot: false, first_name: 'P' },
          chat_instance: '1',
          data: button.data,
          message: {
            message_id: message.id,
            date: 0,
            chat: { id: message.chat, type: message.chat < 0 ? 'supergroup' : 'private' },
          },
        },
      })
    },
    update,
    trouble(method: string, ...list: Trouble[]): void {
      troubles.set(method, [...(troubles.get(method) ?? []), ...list])
    },
    of: (chat: number) => messages.filter((message) => message.chat === chat),
    /** Waits until something is so. */
    async until<T>(look: () => T | undefined | false, what = 'it', ms = 15_000): Promise<T> {
      const deadline = performance.now() + ms
      for (;;) {
        const found = look()
        if (found !== undefined && found !== false) return found
        if (performance.now() > deadline)
          throw new Error(
            `Waited in vain for ${what}. Told: ${JSON.stringify(messages.map(({ text }) => text.slice(0, 200)))}`,
          )
        await sleep(5)
      }
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

type Said = Readonly<{ from?: number; chat?: number; type?: string; [more: string]: unknown }>

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  if (text === '') return {}
  if (request.headers['content-type']?.startsWith('multipart/')) {
    const fields = [...text.matchAll(/name="(\w+)"\r\n\r\n([^\r]*)/g)].map(([, name, value]) => [name, value])
    return Object.fromEntries(fields) as Record<string, unknown>
  }
  return JSON.parse(text) as Record<string, unknown>
}

/** Telegram's HTML: its tags alone, each closed in its turn, and its four entities. */
function parseHtml(html: string): Readonly<{ text: string }> | Readonly<{ error: string }> {
  const open: string[] = []
  let text = ''
  for (const [piece, closing, tag, attributes] of html.matchAll(/<(\/?)([a-z]+)((?:\s[^<>]*)?)>|[^<]+|</g)) {
    if (tag === undefined) {
      if (piece === '<') return { error: 'unsupported start tag' }
      text += piece
      continue
    }
    if (!TAGS.some((known) => known === tag)) return { error: `unsupported start tag "${tag}"` }
    if (closing === '' && tag === 'blockquote' && open.includes('blockquote')) return { error: 'nested blockquote' }
    if (closing === '/') {
      if (open.pop() !== tag) return { error: `unexpected end tag ${tag}` }
    } else {
      if ((attributes ?? '') !== '' && tag !== 'a' && tag !== 'code') return { error: 'unexpected attribute' }
      open.push(tag)
    }
  }
  if (open.length > 0) return { error: `can't find end tag ${open.at(-1)}` }
  const plain = text
    .replace(/&(lt|gt|quot);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"' })[name] ?? '')
    .replaceAll('&amp;', '&')
  return { text: plain.trim() }
}
