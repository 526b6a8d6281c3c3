import type { OutboxRow, Storage } from '../storage/index.ts'
import type { Body, Button, Channel, Outbound } from './channel.ts'
import { chunks } from './chunks.ts'
import { draftOf, type Letter, type Outbox, rowOf } from './outbox.ts'

/** The answer to one message, as it is made. */
export type Reply = Readonly<{
  /** Takes what a turn says. Done when a verdict is written down; the sending goes on by itself. */
  emit(message: Outbound): Promise<void>
  /** Writes down the rest together with the end of the message that is answered, and waits until all is delivered. */
  finish(): Promise<void>
}>

/** What a reply is made with. */
export type ReplySettings = Readonly<{
  storage: Storage
  outbox: Outbox
  channel: Channel
  conversation: string
  /** The inbox row that is answered. */
  turn: number
  replyTo?: string | undefined
  /** The message under which a button was pressed: the first verdict takes its place. */
  under?: string | undefined
  /** What an earlier attempt at this answer wrote down. */
  earlier: readonly OutboxRow[]
}>

/** How long an answer may take to be sent whole at once, in paces of its channel. */
const DRAFT_AFTER = 0.4

type Part = { index: number; body: Body; buttons: readonly Button[]; drafted: Map<string, string> }

/** A reply while it is made. */
type Making = ReplySettings & {
  /** The platform's ids of messages, by their keys. */
  readonly places: Map<string, string | null>
  /** Keys of messages of which it is not known whether they arrived. */
  readonly unsure: Set<string>
  readonly used: Set<string>
  /** Parts by the requestHash of their verdict. */
  readonly cards: Map<string, Part>
  parts: number
  /** The answer that is being written. */
  answer: Part | undefined
  sending: Promise<void>
  isDrafting: boolean
  draftedAt: number
  underLeft: string | undefined
}

/** Makes messages of what a turn says: one for each answer, note and verdict, in their order. */
export function createReply(settings: ReplySettings): Reply {
  const { earlier } = settings
  const lost = earlier.filter((row) => row.state === 'sending' && row.platformId === null)
  const making: Making = {
    ...settings,
    places: new Map(earlier.map((row) => [row.key, row.platformId])),
    unsure: new Set(lost.map((row) => row.key)),
    used: new Set(),
    cards: new Map(),
    parts: 0,
    answer: undefined,
    sending: Promise.resolve(),
    isDrafting: false,
    draftedAt: performance.now(),
    underLeft: settings.under,
  }
  return {
    emit: (message) => emit(making, message),
    finish: () => finish(making),
  }
}

async function emit(making: Making, message: Outbound): Promise<void> {
  if (message.type === 'end') return
  if (message.type === 'text') return addText(making, message.text)
  const ended = making.answer
  making.answer = undefined
  if (ended !== undefined) await post(making, ended)
  if (message.type === 'verdict') return postCard(making, message)
  await post(making, newPart(making, message))
}

async function finish(making: Making): Promise<void> {
  const { storage, turn, earlier, used, answer } = making
  making.answer = undefined
  const letters = answer === undefined ? [] : lettersOf(making, answer)
  await storage.transaction(async (stores) => {
    for (const letter of letters) await stores.outbox.put(rowOf(letter, stateOf(making, letter)))
    await stores.inbox.finish(turn)
  })
  for (const letter of letters) enqueue(making, () => deliver(making, letter))
  for (const row of earlier)
    if (!used.has(row.key) && row.platformId !== null) enqueue(making, () => withdraw(row, making))
  await making.sending
  await storage.stores.outbox.forget(turn)
}

function enqueue(making: Making, work: () => Promise<void>): void {
  // What fails holds up nothing: it stays written down.
  making.sending = making.sending.then(work, work)
  making.sending.catch(() => undefined)
}

function newPart(making: Making, body: Body, buttons: readonly Button[] = []): Part {
  const part = { index: making.parts, body, buttons, drafted: new Map<string, string>() }
  making.parts += 1
  return part
}

function lettersOf(making: Making, part: Part): readonly Letter[] {
  const { turn, channel, conversation, replyTo, places, used } = making
  const { body } = part
  const bodies: readonly Body[] =
    body.type === 'text' || body.type === 'status'
      ? chunks(body.text, channel.longest).map((text) => ({ ...body, text }))
      : [body]
  return bodies.map((one, i) => {
    const key = keyOf(turn, part.index, i)
    used.add(key)
    const buttons = i === bodies.length - 1 ? part.buttons : []
    return { key, turn, channel, conversation, body: one, buttons, replyTo, replaces: places.get(key) ?? undefined }
  })
}

/** Writes a part down and has it sent after those before it. */
async function post(making: Making, part: Part): Promise<void> {
  const letters = lettersOf(making, part)
  for (const letter of letters) await making.storage.stores.outbox.put(rowOf(letter, stateOf(making, letter)))
  for (const letter of letters) enqueue(making, () => deliver(making, letter))
}

function stateOf({ unsure }: Making, { key }: Letter): 'sending' | 'waiting' {
  return unsure.has(key) ? 'sending' : 'waiting'
}

async function deliver({ outbox, places, unsure }: Making, letter: Letter): Promise<void> {
  const { key } = letter
  const replaces = places.get(key) ?? letter.replaces
  const id = await outbox.deliver({ ...letter, replaces }, unsure.has(key))
  unsure.delete(key)
  if (id !== undefined) places.set(key, id)
}

async function postCard(making: Making, { card, buttons = [] }: Extract<Outbound, { type: 'verdict' }>): Promise<void> {
  const { cards, places, turn, underLeft } = making
  const body: Body = { type: 'verdict', card }
  const known = cards.get(card.requestHash)
  const part = known ?? newPart(making, body, buttons)
  part.body = body
  part.buttons = buttons
  cards.set(card.requestHash, part)
  if (underLeft !== undefined && known === undefined) {
    places.set(keyOf(turn, part.index, 0), underLeft)
    making.underLeft = undefined
  }
  await post(making, part)
}

function addText(making: Making, text: string): void {
  const { channel, conversation } = making
  const pace = channel.paceMs(conversation)
  if (making.answer === undefined) {
    making.answer = newPart(making, { type: 'text', text: '' })
    making.draftedAt = performance.now() - pace * (1 - DRAFT_AFTER)
  }
  const part = making.answer
  part.body = { type: 'text', text: (part.body.type === 'text' ? part.body.text : '') + text }
  if (making.isDrafting || performance.now() - making.draftedAt < pace) return
  making.isDrafting = true
  enqueue(making, async () => {
    if (making.answer === part) await sendDrafts(making, part)
    making.draftedAt = performance.now()
    making.isDrafting = false
  })
}

/** Shows an answer that is still being written. What a draft is lost to, the next one or the whole answer mends. */
async function sendDrafts(making: Making, part: Part): Promise<void> {
  const { places, unsure, storage, channel, conversation } = making
  const store = storage.stores.outbox
  for (const letter of lettersOf(making, part)) {
    const text = letter.body.type === 'text' ? letter.body.text : ''
    if (part.drafted.get(letter.key) === text) continue
    const place = places.get(letter.key) ?? undefined
    if (place === undefined) await store.put(rowOf(letter, 'sending'))
    const sent = await channel.send(conversation, draftOf({ ...letter, replaces: place }))
    if (sent.ok) {
      places.set(letter.key, sent.id)
      if (place === undefined) await store.mark(letter.key, 'sent', sent.id)
      part.drafted.set(letter.key, text)
    } else if (place === undefined) {
      if (sent.why === 'unknown') unsure.add(letter.key)
      else await store.remove(letter.key)
      return
    }
  }
}

/** A message of an attempt that a restart ended, and for which the new one has no use. */
async function withdraw({ key, platformId }: OutboxRow, { channel, conversation, outbox, turn }: ReplySettings) {
  const body = { type: 'status', text: 'Written before a restart, and no longer so.' } as const
  await outbox.deliver({ key, turn, channel, conversation, body, buttons: [], replaces: platformId ?? undefined })
}

/** Keys sort as they are told. */
function keyOf(turn: number, part: number, chunk: number): string {
  return `${turn}.${String(part).padStart(3, '0')}.${String(chunk).padStart(3, '0')}`
}
