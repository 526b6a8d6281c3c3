import type { REST } from 'discord.js'
import { CountersignError } from '../../lib/errors.ts'
import type { Button, Channel, Post, Receive, Sent } from '../channel.ts'
import { type Me, missedIn, type Read } from './discord/events.ts'
import { type DiscordFault, faultOf } from './discord/fault.ts'
import { type Gateway, openGateway } from './discord/gateway.ts'
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
/** Flag of a message that one person alone sees. */
const EPHEMERAL = 64
const CALLBACK = { deferredAnswer: 5, deferredUpdate: 6 } as const
const STYLES = { go: 3, stop: 4, plain: 2 } as const

/** One Discord bot. The gateway's sessions are the library's; what a new session does not tell is fetched. */
export function discord(settings: DiscordSettings): Channel {
  const { bookmarks, menu = [] } = settings
  const direct = new Map<string, string>()
  const promised = new Map<string, Promise<void>>()
  let gateway: Gateway | undefined
  return {
    name: 'discord',
    account: settings.account,
    longest: LONGEST,
    paceMs: () => PACE_MS,
    showMoment: (ms) => `<t:${Math.floor(ms / 1_000)}:f>`,
    directWith: (person) => `@${person}`,
    async start(receive) {
      const taking = { receive: inOrder(receive), bookmarks, promised }
      const opened = await openGateway(settings, {
        told: (read, rest) => take(read, rest, taking),
        begun: (me, rest) => catchUp(rest, me, taking),
      })
      try {
        await register(opened, menu)
      } catch (thrown) {
        await opened.close()
        throw new CountersignError('unavailable', `Discord took no list of commands: ${faultOf(thrown).description}.`)
      }
      gateway = opened
    },
    async stop() {
      await gateway?.close()
    },
    async send(conversation, post) {
      const rest = gateway?.rest
      if (!rest) return { ok: false, why: 'later', afterMs: 0, reason: 'the bot is not connected' }
      const writeTo = async (place: string, what: Post) => {
        return write(rest, `/channels/${await channelOf(place, rest, direct)}/messages`, what)
      }
      try {
        if ('body' in post) {
          if (post.replyTo === undefined) return await writeTo(conversation, post)
          await promised.get(tokenOf(post.replyTo))
          const answered = await answer(rest, post.replyTo, post)
          // The promise of an answer has ended. It was for one person: they get it where nobody else reads.
          return answered ?? (await writeTo(`@${personOf(post.replyTo)}`, post))
        }
        const channelId = await channelOf(conversation, rest, direct)
        if (post.type === 'working') void rest.post(`/channels/${channelId}/typing`).catch(() => undefined)
        return { ok: true, id: '' }
      } catch (thrown) {
        return sentOf(faultOf(thrown))
      }
    },
    state: () => gateway?.state() ?? { ok: false, detail: 'connecting' },
  }
}

/** One message after the other: what is told at once, as after a pause, is kept as it was written. */
function inOrder(receive: Receive): Receive {
  let last: Promise<void> = Promise.resolve()
  return (message) => {
    const mine = last.then(() => receive(message))
    last = mine.catch(() => undefined)
    return mine
  }
}

type Taking = Readonly<{
  receive: Receive
  bookmarks: DiscordSettings['bookmarks']
  /** Acknowledgements on their way, by their tokens: an answer that overtook its own would be refused. */
  promised: Map<string, Promise<void>>
}>

/** Keeps a message, and only then acknowledges it. */
async function take(read: Read, rest: REST, { receive, bookmarks, promised }: Taking): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { token } = read.interaction ?? {}
  if (token !== undefined) promised.set(token, promise)
  try {
    await receive(read.message)
    await acknowledge(read, rest)
  } finally {
    if (token !== undefined) promised.delete(token)
    resolve()
  }
  if (read.bookmark) await bookmarks?.set(read.bookmark.channelId, read.bookmark.messageId)
}

async function acknowledge({ interaction, isPrivate }: Read, rest: REST): Promise<void> {
  if (!interaction) return
  const { id, token, kind } = interaction
  const type = kind === 'command' ? CALLBACK.deferredAnswer : CALLBACK.deferredUpdate
  const data = kind === 'command' && isPrivate ? { data: { flags: EPHEMERAL } } : {}
  await rest.post(`/interactions/${id}/${token}/callback`, { body: { type, ...data }, auth: false })
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

async function register({ rest, me }: Gateway, menu: NonNullable<DiscordSettings['menu']>): Promise<void> {
  const option = { type: 3, name: 'text', description: 'what it is about', required: false }
  const body = menu.map(({ name, help }) => ({ name, type: 1, description: help.slice(0, 100), options: [option] }))
  await rest.put(`/applications/${me.applicationId}/commands`, { body })
}

async function write(rest: REST, messages: `/${string}`, post: Post): Promise<Sent> {
  const { replaces } = post
  if (replaces === undefined) return idOf(await rest.post(messages, shown(post)))
  try {
    return idOf(await rest.patch(`${messages}/${replaces}`, shown(post)))
  } catch (thrown) {
    // The one that it was to take the place of is gone.
    if (faultOf(thrown).status !== 404) throw thrown
    return write(rest, messages, { ...post, replaces: undefined })
  }
}

/**
 * The answer to a slash command or a hidden button: the first message is the answer that was promised, others follow it.
 * Nothing where Discord takes no more of them, which is so after 15 minutes.
 */
async function answer(rest: REST, replyTo: string, post: Post): Promise<Sent | undefined> {
  const [kind = '', path = ''] = replyTo.split(':')
  const isFirst = kind === 'command' && post.key.endsWith('.000.000')
  const earlier = post.replaces ?? (isFirst ? '@original' : undefined)
  const what = { ...shown(post, EPHEMERAL), auth: false }
  try {
    const sent =
      earlier === undefined
        ? await rest.post(`/webhooks/${path}`, what)
        : await rest.patch(`/webhooks/${path}/messages/${earlier}`, what)
    return idOf(sent)
  } catch (thrown) {
    const { status } = faultOf(thrown)
    if (status === 401 || status === 404) return undefined
    throw thrown
  }
}

/** The token by which it is answered, in `kind:application/token:person`. */
function tokenOf(replyTo: string): string {
  return replyTo.split(/[:/]/)[2] ?? ''
}

/** Who used what is to be answered. */
function personOf(replyTo: string): string {
  return replyTo.split(':')[2] ?? ''
}

/** A message as it is sent. */
function shown(post: Post, flags?: number) {
  const { body } = post
  const files = body.type === 'picture' ? [{ name: 'picture.png', data: Buffer.from(body.png, 'base64') }] : []
  const components = rowsOf(post.buttons)
  const message = { ...rendered(post), components, allowed_mentions: { parse: [] }, ...(flags && { flags }) }
  return { body: message, files }
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
