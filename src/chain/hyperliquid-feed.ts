import { z } from 'zod'
import type { Address } from '../lib/address.ts'
import { steadySocket } from './steady-socket.ts'

/**
 * Who tells of changes of orders as they happen. What it tells is a hint to ask, and never an answer: it may be late, lost,
 * or false.
 */
export type OrderFeed = Readonly<{
  /** Whose orders to be told of from now on, and no others'. The venue tells of ten at most. */
  watch(users: readonly Address[]): void
  /** Whether changes of a user's orders would be told of now. */
  covers(user: Address): boolean
  stop(): void
}>

/** `heard` is given the keys of orders that changed: their makers' ids, and the venue's numbers. */
export type FeedSettings = Readonly<{
  url: string
  heard(keys: readonly string[]): void
  /** Milliseconds between signs of life, and until the first new attempt after a connection ended. */
  pingMs?: number
  retryMs?: number
}>

/** What the venue allows. Source: Hyperliquid's docs, "Rate limits and user limits", "WebSocket". */
const MOST_USERS = 10
const PING_MS = 25_000
const RETRY_MS = 2_000

const Message = z.discriminatedUnion('channel', [
  z.looseObject({
    channel: z.literal('orderUpdates'),
    data: z
      .array(z.looseObject({ order: z.looseObject({ oid: z.int(), cloid: z.string().max(66).nullish() }) }))
      .max(1000),
  }),
  z.looseObject({ channel: z.literal('pong') }),
  z.looseObject({
    channel: z.literal('subscriptionResponse'),
    data: z.looseObject({
      method: z.string(),
      subscription: z.looseObject({ type: z.string(), user: z.string().optional() }),
    }),
  }),
])

/** A feed of order updates over a WebSocket, which is open while there is somebody to watch. */
export function createOrderFeed({ url, heard, pingMs = PING_MS, retryMs = RETRY_MS }: FeedSettings): OrderFeed {
  const address = `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}/ws`
  const covered = new Set<string>()
  let wanted: readonly Address[] = []
  const say = (method: 'subscribe' | 'unsubscribe', user: Address) =>
    socket.send({ method, subscription: { type: 'orderUpdates', user } })
  /** Asks for what is not answered yet: once open, and again with each sign of life. */
  function ask(): void {
    for (const user of wanted) if (!covered.has(user)) say('subscribe', user)
  }
  const socket = steadySocket({
    address,
    pingMs,
    retryMs,
    opened: ask,
    heard(said) {
      const message = Message.safeParse(said)
      if (!message.success) return
      if (message.data.channel === 'pong') return ask()
      const { channel, data } = message.data
      if (channel === 'orderUpdates')
        return heard(data.flatMap(({ order: { oid, cloid } }) => [String(oid), ...(cloid ? [cloid] : [])]))
      const user = data.subscription.user?.toLowerCase()
      const known = wanted.some((one) => one === user)
      if (data.method === 'subscribe' && data.subscription.type === 'orderUpdates' && user && known) covered.add(user)
    },
    ended: () => covered.clear(),
  })
  return {
    watch(users) {
      const next = [...new Set(users)].slice(0, MOST_USERS)
      for (const user of wanted) {
        if (next.includes(user)) continue
        covered.delete(user)
        say('unsubscribe', user)
      }
      for (const user of next) if (!wanted.includes(user)) say('subscribe', user)
      wanted = next
      if (wanted.length > 0) socket.open()
      else socket.close()
    },
    covers: (user) => covered.has(user),
    stop() {
      wanted = []
      socket.close()
    },
  }
}
