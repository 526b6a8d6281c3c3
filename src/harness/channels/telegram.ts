import { timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from 'grammy'
import { CountersignError } from '../../lib/errors.ts'
import { sha256 } from '../../lib/hash.ts'
import type { Button, Channel, ChannelState, Post, Receive, Sent } from '../channel.ts'
import { type Fault, faultOf } from './telegram/fault.ts'
import { LONGEST, rendered } from './telegram/html.ts'
import { type Me, messageIn } from './telegram/updates.ts'

/** One bot. `apiRoot` is where the Bot API is, for a stand-in or a server of one's own. */
export type TelegramSettings = Readonly<{
  account: string
  botToken: string
  apiRoot?: string | undefined
  /** Where Telegram brings updates to, and the secret that it shows; without it they are fetched. */
  webhook?: Readonly<{ url: string; secret: string }> | undefined
  /** Commands that the platform lists. */
  menu?: readonly Readonly<{ name: string; help: string }>[] | undefined
  /** Seconds that one fetch of updates waits. */
  pollSeconds?: number
}>

/** The Telegram channel: with a webhook, updates come to `accept`. */
export type TelegramChannel = Channel &
  Readonly<{
    /** Takes an update that was brought. Whether the secret was right, compared in constant time. */
    accept(secret: string, update: unknown): Promise<boolean>
  }>

const PRIVATE_PACE_MS = 1_100
const GROUP_PACE_MS = 3_100
const POLL_SECONDS = 25
const DEAF_AFTER_MS = 120_000
const OTHER_POLLER_PAUSE_MS = 5_000
const LONGEST_PAUSE_MS = 30_000
const ALLOWED = ['message', 'callback_query'] as const

/** The signal as the library's types have it, which are older than Node's. */
type Signal = Parameters<Api['getMe']>[0]

type State = {
  me: Me | undefined
  api: Api | undefined
  lastPoll: number
  problem: string | undefined
  receive: Receive | undefined
}

/** One Telegram bot, by long polling or by webhook. No offset is kept: what was not acknowledged is told again. */
export function telegram(settings: TelegramSettings): TelegramChannel {
  const { account, webhook } = settings
  const state: State = { me: undefined, api: undefined, lastPoll: 0, problem: undefined, receive: undefined }
  let stopping = new AbortController()
  let polling: Promise<void> = Promise.resolve()
  return {
    name: 'telegram',
    account,
    longest: LONGEST,
    paceMs: (conversation) => (conversation.startsWith('-') ? GROUP_PACE_MS : PRIVATE_PACE_MS),
    directWith: (person) => person,
    async start(receive) {
      stopping = new AbortController()
      const api = await connect(settings, state, stopping.signal)
      Object.assign(state, { api, receive, lastPoll: performance.now() })
      if (!webhook) polling = poll(api, state, settings.pollSeconds ?? POLL_SECONDS, stopping.signal)
    },
    async stop() {
      stopping.abort()
      state.receive = undefined
      await polling
    },
    async send(conversation, post) {
      const { api } = state
      if (!api) return { ok: false, why: 'later', afterMs: 0, reason: 'the bot is not connected' }
      const place = placeOf(conversation)
      if (!('body' in post)) {
        if (post.type === 'working') void api.sendChatAction(place.chat, 'typing', place.thread).catch(() => undefined)
        return { ok: true, id: '' }
      }
      return write(api, place, post).catch((thrown: unknown): Sent => sentOf(faultOf(thrown)))
    },
    state: () => stateOf(state, webhook !== undefined),
    async accept(secret, update) {
      if (!webhook || !timingSafeEqual(Buffer.from(sha256(secret)), Buffer.from(sha256(webhook.secret)))) return false
      if (state.receive === undefined) throw new CountersignError('unavailable', 'The bot is not connected.')
      await take(update, state)
      state.lastPoll = performance.now()
      return true
    },
  }
}

/** Who the bot is; and its commands and the way of its updates as they are to be. */
async function connect(settings: TelegramSettings, state: State, signal: AbortSignal): Promise<Api> {
  const { botToken, apiRoot, webhook, menu = [] } = settings
  const cancel = signal as Signal
  const { Api: TelegramApi } = await import('grammy')
  const api = new TelegramApi(botToken, { ...(apiRoot !== undefined && { apiRoot }) })
  try {
    const { id, username } = await api.getMe(cancel)
    state.me = { id: String(id), username }
    const commands = menu.map(({ name, help }) => ({ command: name, description: help.slice(0, 256) }))
    await api.setMyCommands(commands, {}, cancel)
    if (webhook) await api.setWebhook(webhook.url, { secret_token: webhook.secret, allowed_updates: ALLOWED }, cancel)
    else await api.deleteWebhook({}, cancel)
    return api
  } catch (thrown) {
    const fault = faultOf(thrown)
    throw new CountersignError(fault.status === 401 ? 'unauthenticated' : 'unavailable', problemOf(fault))
  }
}

/** Keeps a message before it is acknowledged, however long the store takes. */
async function take(update: unknown, { me, api, receive }: State): Promise<void> {
  const read = me && messageIn(update, me)
  if (!read || !receive || !api) return
  await receive(read.message)
  if (read.callbackId !== undefined) void api.answerCallbackQuery(read.callbackId).catch(() => undefined)
}

async function poll(api: Api, state: State, seconds: number, signal: AbortSignal): Promise<void> {
  let offset = 0
  let pause = 0
  while (!signal.aborted) {
    try {
      const asked = { offset, timeout: seconds, limit: 100, allowed_updates: ALLOWED }
      const cancel = AbortSignal.any([signal, AbortSignal.timeout((seconds + 15) * 1_000)])
      const updates = await api.getUpdates(asked, cancel as Signal)
      state.lastPoll = performance.now()
      for (const update of updates) {
        await take(update, state)
        offset = update.update_id + 1
      }
      state.problem = undefined
      pause = 0
    } catch (thrown) {
      if (signal.aborted) return
      const fault = faultOf(thrown)
      state.problem = problemOf(fault)
      pause = fault.status === 409 ? OTHER_POLLER_PAUSE_MS : Math.min(Math.max(pause * 2, 500), LONGEST_PAUSE_MS)
      await sleep(Math.max(pause, fault.retryAfterMs ?? 0), undefined, { signal }).catch(() => undefined)
    }
  }
}

/** A chat, and the topic in it. */
type Place = Readonly<{ chat: number; thread: Readonly<{ message_thread_id?: number }> }>

function placeOf(conversation: string): Place {
  const [chat = '', thread] = conversation.split(':')
  return { chat: Number(chat), thread: thread === undefined ? {} : { message_thread_id: Number(thread) } }
}

const REPEATED = 'This may be here twice: a restart came between.'

async function write(api: Api, place: Place, post: Post): Promise<Sent> {
  const { body, replaces, isRepeat } = post
  if (body.type === 'picture') return sendPicture(api, place, body)
  const { html, plain } = rendered(body)
  const marked = isRepeat
    ? { html: `<i>${REPEATED}</i>\n\n${html}`, plain: `${REPEATED}\n\n${plain}` }
    : { html, plain }
  const keyboard = keyboardOf(post.buttons)
  const put = async (text: string, mode: Readonly<{ parse_mode?: 'HTML' }>): Promise<Sent> => {
    const options = { ...mode, ...keyboard, link_preview_options: { is_disabled: true } }
    if (replaces === undefined) {
      const sent = await api.sendMessage(place.chat, text, { ...options, ...place.thread })
      return { ok: true, id: String(sent.message_id) }
    }
    await api.editMessageText(place.chat, Number(replaces), text, options)
    return { ok: true, id: replaces }
  }
  try {
    return await put(marked.html === '' ? '…' : marked.html, { parse_mode: 'HTML' })
  } catch (thrown) {
    const { status, description } = faultOf(thrown)
    if (status !== 400) throw thrown
    if (/message is not modified/i.test(description)) return { ok: true, id: replaces ?? '' }
    if (/can't parse entities/i.test(description)) return put(marked.plain, {})
    // The one that it was to take the place of is gone, or too old to be changed.
    if (replaces !== undefined && /not found|can't be edited/i.test(description))
      return write(api, place, { ...post, replaces: undefined })
    throw thrown
  }
}

async function sendPicture(
  api: Api,
  { chat, thread }: Place,
  body: Readonly<{ title: string; png: string }>,
): Promise<Sent> {
  const { InputFile } = await import('grammy')
  const file = new InputFile(Buffer.from(body.png, 'base64'), 'picture.png')
  const sent = await api.sendPhoto(chat, file, { caption: body.title, ...thread })
  return { ok: true, id: String(sent.message_id) }
}

/** An empty keyboard takes the buttons of an earlier text away. */
function keyboardOf(buttons: readonly Button[]) {
  const row = buttons.map(({ id, label }) => ({ text: label, callback_data: id }))
  return { reply_markup: { inline_keyboard: row.length === 0 ? [] : [row] } }
}

function sentOf({ status, retryAfterMs, description, isUnsent }: Fault): Sent {
  if (status === 429) return { ok: false, why: 'later', afterMs: retryAfterMs ?? 1_000, reason: description }
  if (isUnsent) return { ok: false, why: 'later', afterMs: 0, reason: description }
  if (status === undefined || status >= 500) return { ok: false, why: 'unknown', reason: description }
  return { ok: false, why: 'refused', reason: description }
}

function problemOf({ status, description }: Fault): string {
  if (status === 401 || status === 404) return 'Telegram does not take the bot token.'
  if (status === 409) return 'Another program fetches the updates of this bot.'
  return `Telegram: ${description}`
}

function stateOf({ lastPoll, problem, receive }: State, isWebhook: boolean): ChannelState {
  if (receive === undefined) return { ok: false, detail: problem ?? 'not connected' }
  const lastHeardMs = Math.round(performance.now() - lastPoll)
  if (problem !== undefined) return { ok: false, detail: problem, lastHeardMs }
  const what = isWebhook ? 'webhook, last update or start' : 'last poll'
  const ok = isWebhook || lastHeardMs < DEAF_AFTER_MS
  return { ok, detail: `${what} ${Math.round(lastHeardMs / 1_000)} s ago`, lastHeardMs }
}
