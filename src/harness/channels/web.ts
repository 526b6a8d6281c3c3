import { CountersignError } from '../../lib/errors.ts'
import { explorerLink } from '../card-text.ts'
import type { Activity, Channel, InboundMessage, Outbound, Post, Receive } from '../channel.ts'
import type { VerdictCard } from '../verdict-card.ts'

/** An event of a conversation, with an id that grows by one. */
export type WebEvent = Readonly<{ id: number; message: Outbound }>

/** The web channel: what a browser or a terminal posts, and what it listens to. */
export type WebChannel = Channel &
  Readonly<{
    /**
     * Hands a message over. Done when it is kept; its answer comes by the listeners.
     *
     * @throws CountersignError `unavailable` before the start and after the stop
     */
    post(message: InboundMessage): Promise<void>
    /**
     * Listens to a conversation: first what was kept after the event `after` (all that is kept, without one), then what
     * comes. Where `after` is newer than anything kept, the process was restarted, and all is told.
     */
    subscribe(conversation: string, listener: (event: WebEvent) => void, after?: number): () => void
    /** Tells a conversation something that is no message to keep. */
    tell(conversation: string, message: Outbound): void
    /** Whether something that was posted here is not answered yet. */
    isBusy(conversation: string): boolean
  }>

/** Events kept for each conversation, for a browser that comes back. */
const KEPT_EVENTS = 200

/** Conversations kept; the one that was silent longest makes room, unless somebody listens. */
const KEPT_CONVERSATIONS = 500

type Room = {
  lastId: number
  events: WebEvent[]
  listeners: Set<(event: WebEvent) => void>
  isBusy: boolean
  /** What was told of an answer that grows, by its key. */
  told: Map<string, string>
}

type Rooms = ReturnType<typeof createRooms>

function createRooms() {
  const rooms = new Map<string, Room>()

  function of(conversation: string): Room {
    const room = rooms.get(conversation) ?? newRoom()
    rooms.delete(conversation)
    rooms.set(conversation, room)
    if (rooms.size > KEPT_CONVERSATIONS) {
      const silent = [...rooms].find(([, one]) => one !== room && one.listeners.size === 0)
      if (silent) rooms.delete(silent[0])
    }
    return room
  }

  return {
    of,
    tell(conversation: string, message: Outbound): void {
      const room = of(conversation)
      room.lastId += 1
      const event = { id: room.lastId, message }
      room.events = [...room.events.slice(1 - KEPT_EVENTS), event]
      for (const listener of room.listeners) listener(event)
    },
    isBusy: (conversation: string) => rooms.get(conversation)?.isBusy ?? false,
    empty() {
      for (const room of rooms.values()) room.listeners.clear()
    },
  }
}

/** Answers are told piece by piece, as they grow. */
function show({ of, tell }: Rooms, conversation: string, { body, key, buttons, isFinal, isRepeat }: Post): void {
  const { told } = of(conversation)
  if (isRepeat) tell(conversation, { type: 'status', text: 'What follows may be there twice: a restart came between.' })
  if (body.type === 'verdict')
    return tell(conversation, { type: 'verdict', card: linked(body.card), ...(buttons.length > 0 && { buttons }) })
  if (body.type !== 'text') return tell(conversation, body)
  const before = told.get(key) ?? ''
  const added = body.text.startsWith(before) ? body.text.slice(before.length) : body.text
  if (added !== '') tell(conversation, { type: 'text', text: added })
  if (isFinal) told.delete(key)
  else told.set(key, body.text)
}

/** A card with the address at which its transaction is shown. */
function linked(card: VerdictCard): VerdictCard {
  const explorerUrl = explorerLink(card)
  return card.execution && explorerUrl ? { ...card, execution: { ...card.execution, explorerUrl } } : card
}

/** A hub in memory. It knows no HTTP: the API exposes it. */
export function web(): WebChannel {
  const rooms = createRooms()
  let receive: Receive | undefined
  return {
    name: 'web',
    account: 'console',
    longest: Number.POSITIVE_INFINITY,
    paceMs: () => 0,
    directWith: (person) => person,
    async start(handler) {
      receive = handler
    },
    async stop() {
      receive = undefined
      rooms.empty()
    },
    async send(conversation, post) {
      if (isPost(post)) show(rooms, conversation, post)
      else {
        rooms.of(conversation).isBusy = post.type === 'working'
        if (post.type === 'idle') rooms.tell(conversation, { type: 'end' })
      }
      return { ok: true, id: String(rooms.of(conversation).lastId) }
    },
    state: () => (receive ? { ok: true, detail: 'open' } : { ok: false, detail: 'closed' }),
    async post(message) {
      if (receive === undefined) throw new CountersignError('unavailable', 'The chat is not open.')
      rooms.of(message.conversation).isBusy = true
      await receive(message)
    },
    subscribe(conversation, listener, after = 0) {
      const room = rooms.of(conversation)
      const since = after > room.lastId ? 0 : after
      for (const event of room.events) if (event.id > since) listener(event)
      room.listeners.add(listener)
      return () => void room.listeners.delete(listener)
    },
    tell: rooms.tell,
    isBusy: rooms.isBusy,
  }
}

function newRoom(): Room {
  return { lastId: 0, events: [], listeners: new Set(), isBusy: false, told: new Map() }
}

function isPost(post: Post | Activity): post is Post {
  return 'body' in post
}
