import { CountersignError } from '../../lib/errors.ts'
import type { Channel, InboundMessage, Outbound } from '../channel.ts'

/** An event of a conversation, with an id that grows by one. */
export type WebEvent = Readonly<{ id: number; message: Outbound }>

/** The web channel: what a browser posts, and what it listens to. */
export type WebChannel = Channel &
  Readonly<{
    /**
     * Hands a message to the harness; its answer comes by the listeners, and the promise ends with the turn.
     *
     * @throws CountersignError `unavailable` before the start and after the stop
     */
    post(message: InboundMessage): Promise<void>
    /**
     * Listens to a conversation: first what was kept after the event `after` (all that is kept, without one), then what
     * comes. Where `after` is newer than anything kept, the process was restarted, and all is told.
     */
    subscribe(conversation: string, listener: (event: WebEvent) => void, after?: number): () => void
  }>

/** Events kept for each conversation, for a browser that comes back. */
const KEPT_EVENTS = 200

/** Conversations kept; the one that was silent longest makes room, unless somebody listens. */
const KEPT_CONVERSATIONS = 500

type Room = { lastId: number; events: WebEvent[]; listeners: Set<(event: WebEvent) => void> }

/** A hub in memory. It knows no HTTP: the API exposes it. */
export function web(): WebChannel {
  const rooms = new Map<string, Room>()
  let receive: ((message: InboundMessage) => Promise<void>) | undefined

  function roomOf(conversation: string): Room {
    const room = rooms.get(conversation) ?? { lastId: 0, events: [], listeners: new Set() }
    rooms.delete(conversation)
    rooms.set(conversation, room)
    if (rooms.size > KEPT_CONVERSATIONS) {
      const silent = [...rooms].find(([, one]) => one !== room && one.listeners.size === 0)
      if (silent) rooms.delete(silent[0])
    }
    return room
  }

  return {
    name: 'web',
    async start(handler) {
      receive = handler
    },
    async stop() {
      receive = undefined
      for (const room of rooms.values()) room.listeners.clear()
    },
    async send(conversation, message) {
      const room = roomOf(conversation)
      room.lastId += 1
      const event = { id: room.lastId, message }
      room.events = [...room.events.slice(1 - KEPT_EVENTS), event]
      for (const listener of room.listeners) listener(event)
    },
    async post(message) {
      if (receive === undefined) throw new CountersignError('unavailable', 'The chat is not open.')
      await receive(message)
    },
    subscribe(conversation, listener, after = 0) {
      const room = roomOf(conversation)
      const since = after > room.lastId ? 0 : after
      for (const event of room.events) if (event.id > since) listener(event)
      room.listeners.add(listener)
      return () => void room.listeners.delete(listener)
    },
  }
}
