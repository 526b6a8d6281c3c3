import type Router from '@koa/router'
import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import type { WebChannel } from '../../harness/index.ts'
import { CountersignError, messageOf } from '../../lib/errors.ts'
import type { Log } from '../../lib/log.ts'
import { readBody } from '../read-body.ts'
import { checked } from '../validate.ts'
import { createEventStreams } from './event-stream.ts'
import { checkOrigin } from './origin.ts'
import { readPageFiles } from './page-files.ts'
import { checkToken } from './token.ts'

/** What the console shows, and the token of 32 and more characters that opens it. */
export type ConsoleParts = Readonly<{ chat: WebChannel; token: string }>

type Surroundings = Readonly<{ publicUrl: string; log: Log }>
type Serve = (ctx: RouterContext) => void | Promise<void>

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const Id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected 1 to 64 of A-Z, a-z, 0-9, _ and -')
const EventId = z.string().regex(/^\d{1,15}$/, 'expected the id of an event')
const Message = z.union([
  z.strictObject({ conversation: Id, id: Id, text: z.string().min(1).max(16_000) }),
  z.strictObject({ conversation: Id, id: Id, button: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'expected a button') }),
])
const Listen = z.strictObject({ conversation: Id, 'Last-Event-ID': EventId.optional() })

/** Who holds the token is the owner: there is one. */
const SENDER = 'owner'

/**
 * Adds the console to a router: its page, which anyone on this machine may read, and its data, which take the token.
 * Returns what ends the open streams.
 */
export function addConsole(router: Router, { chat, token }: ConsoleParts, { publicUrl, log }: Surroundings) {
  const streams = createEventStreams(chat)
  const open = (serve: Serve): Serve => {
    return (ctx) => {
      checkOrigin(ctx.req.headers, publicUrl)
      return serve(ctx)
    }
  }
  const guarded = (serve: Serve): Serve =>
    open((ctx) => {
      ctx.set('WWW-Authenticate', 'Bearer')
      checkToken(ctx.req.headers.authorization, token)
      ctx.remove('WWW-Authenticate')
      return serve(ctx)
    })

  router.get(
    '/console',
    open((ctx) => ctx.redirect('/console/chat')),
  )
  for (const { name, type, text } of readPageFiles())
    router.get(
      name === 'chat.html' ? '/console/chat' : `/console/chat/${name}`,
      open((ctx) => {
        ctx.set({ 'Content-Security-Policy': PAGE_POLICY, 'Content-Type': type })
        ctx.body = text
      }),
    )

  router.post(
    '/console/chat/messages',
    guarded(async (ctx) => {
      const message = checked(Message, (await readBody(ctx.req)).value, 'body')
      void say(chat, message, log)
      ctx.status = 202
      ctx.set('Content-Type', 'application/json; charset=utf-8')
      ctx.body = JSON.stringify({ id: message.id })
    }),
  )

  router.get(
    '/console/chat/events',
    guarded((ctx) => {
      const lastEventId = ctx.req.headers['last-event-id']
      const asked = { ...ctx.query, ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }) }
      const { conversation, 'Last-Event-ID': after = '0' } = checked(Listen, asked, 'query')
      ctx.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
      // A HEAD request has no use for a stream, and nobody would end it.
      if (ctx.method === 'HEAD') ctx.status = 200
      else ctx.body = streams.open(conversation, Number(after))
    }),
  )
  return { close: streams.close }
}

/** Lets a turn go on by itself: its answer comes by the stream, and so does what keeps it from beginning. */
async function say(chat: WebChannel, message: z.output<typeof Message>, log: Log): Promise<void> {
  const { conversation, id } = message
  const said = 'text' in message ? { text: message.text } : { text: '', button: { id: message.button, under: '' } }
  try {
    await chat.post({ conversation, id, sender: SENDER, ...said })
  } catch (thrown) {
    log.warn({ error: messageOf(thrown) }, 'A message of the console was not taken.')
    const text = thrown instanceof CountersignError ? thrown.message : 'The message could not be answered.'
    chat.tell(conversation, { type: 'error', text })
    chat.tell(conversation, { type: 'end' })
  }
}
