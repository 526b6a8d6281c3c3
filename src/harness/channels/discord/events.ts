import { z } from 'zod'
import type { InboundMessage } from '../../channel.ts'

/** The bot itself, and the channel that a thread hangs on, where it is known. */
export type Me = Readonly<{ id: string; applicationId: string; parentOf(channelId: string): string | undefined }>

/** A message in an event, what has to be acknowledged with it, and up to where its channel is read then. */
export type Read = Readonly<{
  message: InboundMessage
  interaction?: Readonly<{ id: string; token: string; kind: 'command' | 'button' }>
  /** Its answer is for the sender alone. */
  isPrivate?: boolean
  bookmark?: Readonly<{ channelId: string; messageId: string }>
}>

const User = z.object({ id: z.string(), bot: z.boolean().default(false) })
const Message = z.object({
  id: z.string(),
  channel_id: z.string(),
  guild_id: z.string().optional(),
  author: User,
  content: z.string().default(''),
  mentions: z.array(User).default([]),
  referenced_message: z.object({ author: User.optional() }).nullish(),
  webhook_id: z.string().optional(),
  flags: z.int().default(0),
})
const Interaction = z.object({
  id: z.string(),
  application_id: z.string(),
  type: z.int(),
  token: z.string(),
  channel_id: z.string().optional(),
  channel: z.object({ parent_id: z.string().nullish() }).optional(),
  guild_id: z.string().optional(),
  member: z.object({ user: User }).optional(),
  user: User.optional(),
  message: Message.partial().optional(),
  data: z
    .object({
      name: z.string().optional(),
      custom_id: z.string().optional(),
      options: z.array(z.object({ name: z.string(), value: z.unknown().optional() })).default([]),
    })
    .optional(),
})

const Thread = z.object({ id: z.string(), parent_id: z.string() })
const Threads = z.union([
  z.object({ threads: z.array(Thread.or(z.unknown())) }).transform(({ threads }) => threads),
  Thread.transform((thread) => [thread]),
])

const COMMAND = 2
const COMPONENT = 3
const EPHEMERAL = 64

/** Threads that an event of a server or of a thread tells of, with the channels that they hang on. */
export function threadsIn(raw: unknown): readonly Readonly<{ id: string; parentId: string }>[] {
  const found = Threads.safeParse(raw)
  return (found.success ? found.data : []).flatMap((one) => {
    const thread = Thread.safeParse(one)
    return thread.success ? [{ id: thread.data.id, parentId: thread.data.parent_id }] : []
  })
}

/** What a place in a server is part of. A category is told as a parent too: a channel's settings may name it. */
function withinOf(guildId: string, parentId: string | null | undefined): readonly string[] {
  return typeof parentId === 'string' ? [parentId, guildId] : [guildId]
}

/** The message of a MESSAGE_CREATE event, if it is one for reading: a person wrote it, and it has words. */
export function readMessage(raw: unknown, me: Me): Read | undefined {
  const parsed = Message.safeParse(raw)
  if (!parsed.success) return undefined
  const {
    id,
    channel_id: channelId,
    guild_id: guildId,
    author,
    content,
    mentions,
    referenced_message: replied,
  } = parsed.data
  if (author.bot || parsed.data.webhook_id !== undefined || content === '') return undefined
  const addressed = mentions.some((user) => user.id === me.id) || replied?.author?.id === me.id
  const text = content.replace(new RegExp(`<@!?${me.id}>`, 'g'), '').trim()
  return {
    message: {
      id,
      conversation: guildId === undefined ? `@${author.id}` : channelId,
      sender: author.id,
      text,
      ...(guildId !== undefined && {
        group: { id: channelId, within: withinOf(guildId, me.parentOf(channelId)), addressed },
      }),
    },
    bookmark: { channelId, messageId: id },
  }
}

/** Messages that were fetched, oldest first. */
export function missedIn(raw: unknown, me: Me): readonly Read[] {
  if (!Array.isArray(raw)) return []
  return raw
    .map((message: unknown) => readMessage(message, me))
    .filter((read) => read !== undefined)
    .sort((a, b) => (BigInt(a.message.id) < BigInt(b.message.id) ? -1 : 1))
}

/** A slash command or a pressed button. Whoever uses one speaks to the bot. */
export function readInteraction(raw: unknown): Read | undefined {
  const parsed = Interaction.safeParse(raw)
  if (!parsed.success) return undefined
  const { id, type, token, data, channel_id: channelId, guild_id: guildId, application_id: app, message } = parsed.data
  const user = parsed.data.member?.user ?? parsed.data.user
  if (!user || user.bot || channelId === undefined || !data) return undefined
  const place = {
    id,
    conversation: guildId === undefined ? `@${user.id}` : channelId,
    sender: user.id,
    ...(guildId !== undefined && {
      group: { id: channelId, within: withinOf(guildId, parsed.data.channel?.parent_id), addressed: true },
    }),
  }
  if (type === COMMAND && data.name !== undefined) {
    const [option] = data.options
    const text = `/${data.name}${typeof option?.value === 'string' ? ` ${option.value}` : ''}`
    return {
      message: { ...place, text, replyTo: `command:${app}/${token}:${user.id}` },
      interaction: { id, token, kind: 'command' },
      isPrivate: guildId !== undefined,
    }
  }
  if (type !== COMPONENT || data.custom_id === undefined) return undefined
  const button = { id: data.custom_id, under: message?.id ?? '' }
  // A message that one person alone sees is changed by way of the interaction only.
  const hidden = ((message?.flags ?? 0) & EPHEMERAL) === 0 ? {} : { replyTo: `button:${app}/${token}:${user.id}` }
  return { message: { ...place, text: '', button, ...hidden }, interaction: { id, token, kind: 'button' } }
}
