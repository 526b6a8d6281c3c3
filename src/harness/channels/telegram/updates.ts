import { z } from 'zod'
import type { InboundMessage } from '../../channel.ts'

const Id = z.number().transform(String)
const User = z.object({ id: Id, is_bot: z.boolean().default(false), username: z.string().optional() })
const Entity = z.object({ type: z.string(), offset: z.int(), length: z.int(), user: User.optional() })
const Message = z.object({
  message_id: z.int(),
  message_thread_id: z.int().optional(),
  is_topic_message: z.boolean().optional(),
  from: User.optional(),
  chat: z.object({ id: Id, type: z.string() }),
  text: z.string().optional(),
  caption: z.string().optional(),
  entities: z.array(Entity).default([]),
  reply_to_message: z.object({ from: User.optional() }).optional(),
})
/** What is read of an update (https://core.telegram.org/bots/api#update). An edited message is no new one. */
const Update = z.object({
  update_id: z.int(),
  message: Message.optional(),
  callback_query: z
    .object({ id: z.string(), from: User, data: z.string().optional(), message: Message.optional() })
    .optional(),
})

/** The bot itself. */
export type Me = Readonly<{ id: string; username: string }>

/** A message in an update, with the callback query that has to be answered. */
export type Read = Readonly<{ message: InboundMessage; callbackId?: string }>

/** The message in an update, if it has one that is for reading: no bot wrote it, and it has words. */
export function messageIn(raw: unknown, me: Me): Read | undefined {
  const parsed = Update.safeParse(raw)
  if (!parsed.success) return undefined
  const { message, callback_query: query } = parsed.data
  if (query?.message !== undefined && query.data !== undefined && !query.from.is_bot) {
    const { chat, message_id: under } = query.message
    const pressed: InboundMessage = {
      id: `q${query.id}`,
      conversation: conversationOf(query.message),
      sender: query.from.id,
      text: '',
      button: { id: query.data, under: String(under) },
      ...(chat.type !== 'private' && { group: { id: chat.id, addressed: true } }),
    }
    return { message: pressed, callbackId: query.id }
  }
  const text = message?.text ?? message?.caption
  if (!message?.from || message.from.is_bot || text === undefined) return undefined
  const { chat, from } = message
  const isGroup = chat.type !== 'private'
  return {
    message: {
      id: `${chat.id}:${message.message_id}`,
      conversation: conversationOf(message),
      sender: from.id,
      text: withoutMention(text, me),
      ...(isGroup && { group: { id: chat.id, addressed: isAddressed(message, text, me) } }),
    },
  }
}

type MessageData = z.output<typeof Message>

function conversationOf({ chat, is_topic_message: isTopic, message_thread_id: thread }: MessageData): string {
  return isTopic && thread !== undefined ? `${chat.id}:${thread}` : chat.id
}

function isAddressed({ entities, reply_to_message: replied }: MessageData, text: string, me: Me): boolean {
  if (replied?.from?.id === me.id) return true
  return entities.some(({ type, offset, length, user }) => {
    const words = text.slice(offset, offset + length).toLowerCase()
    if (type === 'mention') return words === `@${me.username.toLowerCase()}`
    if (type === 'bot_command') return words.endsWith(`@${me.username.toLowerCase()}`)
    return type === 'text_mention' && user?.id === me.id
  })
}

function withoutMention(text: string, { username }: Me): string {
  const mention = new RegExp(`(^|\\s)@${username.replace(/[^\w]/g, '')}\\b[,:]?`, 'gi')
  return text.startsWith('/') ? text : text.replace(mention, '$1').trim()
}
