import type Router from '@koa/router'
import type { RouterContext } from '@koa/router'
import { z } from 'zod'
import type { WebChannel } from '../../harness/index.ts'
import type { Address } from '../../lib/address.ts'
import { CountersignError, messageOf } from '../../lib/errors.ts'
import type { Log } from '../../lib/log.ts'
import { timeZoneNamed } from '../../lib/time-zone.ts'
import { readBody } from '../read-body.ts'
import { checked } from '../validate.ts'
import { createEventStreams } from './event-stream.ts'
import { checkOrigin } from './origin.ts'
import { PAGE_POLICY, readPageFiles } from './page-files.ts'
import { checkToken } from './token.ts'
import { addWalletSignIn, type WalletParts } from './wallet-sign-in.ts'

/**
 * What the console shows, and what opens it: the token of 32 and more characters, or the key of a wallet of `owners`.
 * Without owners no wallet does, and who is none any more is out at once.
 */
export type ConsoleParts = Readonly<{ chat: WebChannel; token: string; owners?: () => readonly Address[] }>

type Surroundings = Readonly<{ publicUrl: string; log: Log; services: WalletParts['services'] }>
type Serve = (ctx: RouterContext) => void | Promise<void>

const Id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected 1 to 64 of A-Z, a-z, 0-9, _ and -')
const EventId = z.string().regex(/^\d{1,15}$/, 'expected the id of an event')
/** The zone of the browser or the terminal. */
const timeZone = z
  .string()
  .max(64)
  .refine((name) => timeZoneNamed(name) !== undefined, 'expected a time zone like Europe/Zurich')
  .optional()
const Message = z.union([
  z.strictObject({ conversation: Id, id: Id, timeZone, text: z.string().min(1).max(16_000) }),
  z.strictObject({
    conversation: Id,
    id: Id,
    timeZone,
    button: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'expected a button'),
  }),
])
const Listen = z.strictObject({ conversation: Id, 'Last-Event-ID': EventId.optional() })

/** Who holds the token. A wallet that signed in is called by its address. */
const HOLDER = 'owner'

/**
 * Adds the console to a router: its page, which anyone on this machine may read, and its data, which take the token or
 * the session of an owner's wallet. Returns what ends the open streams.
 */
export function addConsole(
  router: Router,
  { chat, token, owners = () => [] }: ConsoleParts,
  surroundings: Surroundings,
) {
  const { publicUrl, log, services } = surroundings
  const { walletOf } = addWalletSignIn(router, { owners, publicUrl, services })
  const streams = createEventStreams(chat)
  const open = (serve: Serve): Serve => {
    return (ctx) => {
      checkOrigin(ctx.req.headers, publicUrl)
      return serve(ctx)
    }
  }
  const guarded = (serve: (ctx: RouterContext, sender: string) => void | Promise<void>): Serve =>
    open((ctx) => {
      const { authorization } = ctx.req.headers
      const wallet = authorization === undefined ? walletOf(ctx) : undefined
      if (wallet === undefined) {
        ctx.set('WWW-Authenticate', 'Bearer')
        checkToken(authorization, token)
        ctx.remove('WWW-Authenticate')
      }
      return serve(ctx, wallet ?? HOLDER)
    })

  addChatPage(router, open)

  router.post(
    '/console/chat/messages',
    guarded(async (ctx, sender) => {
      const message = checked(Message, (await readBody(ctx.req)).value, 'body')
      void say(chat, message, sender, log)
      ctx.status = 202
      ctx.set('Content-Type', 'application/json; charset=utf-8')
      ctx.body = JSON.stringify({ id: message.id })
    }),
  )

  router.get(
    '/console/chat/events',
    guarded((ctx, sender) => {
      const lastEventId = ctx.req.headers['last-event-id']
      const asked = { ...ctx.query, ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }) }
      const { conversation, 'Last-Event-ID': after = '0' } = checked(Listen, asked, 'query')
      ctx.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
      // A HEAD request has no use for a stream, and nobody would end it.
      if (ctx.method === 'HEAD') ctx.status = 200
      else ctx.body = streams.open(conversation, Number(after), () => sender === HOLDER || walletOf(ctx) === sender)
    }),
  )
  return { close: streams.close }
}

/** Adds the page of the chat, and its files. */
function addChatPage(router: Router, open: (serve: Serve) => Serve): void {
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
}

/** Lets a turn go on by itself: its answer comes by the stream, and so does what keeps it from beginning. */
async function say(chat: WebChannel, message: z.output<typeof Message>, sender: string, log: Log): Promise<void> {
  const { conversation, id, timeZone: zone } = message
  const said = 'text' in message ? { text: message.text } : { text: '', button: { id: message.button, under: '' } }
  try {
    await chat.post({ conversation, id, sender, ...(zone !== undefined && { timeZone: zone }), ...said })
  } catch (thrown) {
    log.warn({ error: messageOf(thrown) }, 'A message of the console was not taken.')
    const text = thrown instanceof CountersignError ? thrown.message : 'The message could not be answered.'
    chat.tell(conversation, { type: 'error', text })
    chat.tell(conversation, { type: 'end' })
  }
}
