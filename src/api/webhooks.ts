import type Router from '@koa/router'
import { CountersignError } from '../lib/errors.ts'
import { readBody } from './read-body.ts'

/**
 * Largest update, in bytes: a message of 4,096 characters in 12 bytes of escapes each, the one that it answers, and what
 * stands around them. An update that is refused comes again, and holds up the bot.
 */
const MAX_UPDATE_BYTES = 524_288

/** A bot to which its platform brings updates. */
export type Webhook = Readonly<{
  /** Keeps what an update brings. Whether the secret was right. @throws CountersignError unavailable when it is not connected */
  accept(secret: string, update: unknown): Promise<boolean>
}>

/** Adds the addresses to which Telegram brings updates (https://core.telegram.org/bots/api#setwebhook): each acknowledged when it is kept. */
export function addWebhooks(router: Router, webhooks: ReadonlyMap<string, Webhook>): void {
  router.post('/channels/telegram/:account', async (ctx) => {
    const webhook = webhooks.get(ctx.params['account'] ?? '')
    const secret = ctx.get('X-Telegram-Bot-Api-Secret-Token')
    if (!webhook) throw new CountersignError('not_found', 'There is no such account.')
    const { value: update } = await readBody(ctx.req, MAX_UPDATE_BYTES)
    if (!(await webhook.accept(secret, update)))
      throw new CountersignError('unauthenticated', 'The secret token is not the one that was set.')
    ctx.status = 200
    ctx.body = '{}'
    ctx.set('Content-Type', 'application/json; charset=utf-8')
  })
}
