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

type Part = { index: number; body: Body; buttons: readonly Button[]; sentChunks: string[] }

/** Makes messages of what a turn says: one for each answer, note and verdict, in their order. */
export function createReply(settings: ReplySettings): Reply {
  const { storage, outbox, channel, conversation, turn, replyTo, earlier } = settings
  const store = storage.stores.outbox
  const places = new Map(earlier.map((row) => [row.key, row.platformId]))
  const unsure = new Set(
    earlier.filter((row) => row.state === 'sending' && row.platformId === null).map((row) => row.key),
  )
  const used = new Set<string>()
  const cards = new Map<string, Part>()
  let parts = 0
  let answer: Part | undefined
  let sending: Promise<void> = Promise.resolve()
  let drafted = performance.now()
  let drafting = false
  let under = settings.under

  const enqueue = (work: () => Promise<void>) => {
    // What fails holds up nothing: it stays written down.
    sending = sending.then(work, work)
    sending.catch(() => undefined)
  }

  function lettersOf(part: Part): readonly Letter[] {
    const bodies: readonly Body[] =
      'text' in part.body && part.body.type !== 'error'
        ? chunks(part.body.text, channel.longest).map((text) => ({ ...part.body, text }) as Body)
        : [part.body]
    return bodies.map((body, i) => {
      const key = keyOf(turn, part.index, i)
      used.add(key)
      const buttons = i === bodies.length - 1 ? part.buttons : []
      return { key, turn, channel, conversation, body, buttons, replyTo, replaces: places.get(key) ?? undefined }
    })
  }

  async function deliver(letter: Letter): Promise<void> {
    const id = await outbox.deliver(
      { ...letter, replaces: places.get(letter.key) ?? letter.replaces },
      unsure.has(letter.key),
    )
    unsure.delete(letter.key)
    if (id !== undefined) places.set(letter.key, id)
  }

  /** Writes a part down and has it sent after those before it. */
  async function post(part: Part): Promise<void> {
    const letters = lettersOf(part)
    for (const letter of letters) await store.put(rowOf(letter, stateOf(letter)))
    for (const letter of letters) enqueue(() => deliver(letter))
  }

  const stateOf = ({ key }: Letter) => (unsure.has(key) ? 'sending' : 'waiting')

  /** Shows an answer that is still being written. What it is lost to is the next one. */
  function draft(part: Part): void {
    const pace = channel.paceMs(conversation)
    if (drafting || performance.now() - drafted < pace) return
    drafting = true
    enqueue(async () => {
      const isWhole = answer !== part
      if (!isWhole) await sendDrafts(part)
      drafted = performance.now()
      drafting = false
    })
  }

  async function sendDrafts(part: Part): Promise<void> {
    for (const letter of lettersOf(part)) {
      const text = 'text' in letter.body ? letter.body.text : ''
      const known = part.sentChunks.indexOf(letter.key)
      if (known !== -1 && part.sentChunks[known + 1] === text) continue
      const place = places.get(letter.key) ?? undefined
      if (place === undefined) await store.put(rowOf(letter, 'sending'))
      const sent = await channel.send(conversation, draftOf({ ...letter, replaces: place }))
      if (sent.ok) {
        places.set(letter.key, sent.id)
        if (place === undefined) await store.mark(letter.key, 'sent', sent.id)
        part.sentChunks.splice(known === -1 ? part.sentChunks.length : known, known === -1 ? 0 : 2, letter.key, text)
      } else if (place === undefined) {
        if (sent.why === 'unknown') unsure.add(letter.key)
        else await store.remove(letter.key)
        return
      }
    }
  }

  function newPart(body: Body, buttons: readonly Button[] = []): Part {
    const part = { index: parts, body, buttons, sentChunks: [] }
    parts += 1
    return part
  }

  async function endAnswer(): Promise<void> {
    const ended = answer
    answer = undefined
    if (ended !== undefined) await post(ended)
  }

  return {
    async emit(message) {
      if (message.type === 'end') return
      if (message.type === 'text') {
        if (answer === undefined) {
          answer = newPart({ type: 'text', text: '' })
          drafted = performance.now() - channel.paceMs(conversation) * (1 - DRAFT_AFTER)
        }
        answer.body = { type: 'text', text: ('text' in answer.body ? answer.body.text : '') + message.text }
        draft(answer)
        return
      }
      await endAnswer()
      if (message.type !== 'verdict') return post(newPart(message))
      const { card, buttons = [] } = message
      const body: Body = { type: 'verdict', card }
      const known = cards.get(card.requestHash)
      const part = known ?? newPart(body, buttons)
      part.body = body
      part.buttons = buttons
      cards.set(card.requestHash, part)
      if (under !== undefined && known === undefined) {
        places.set(keyOf(turn, part.index, 0), under)
        under = undefined
      }
      return post(part)
    },
    async finish() {
      const last = answer
      answer = undefined
      const letters = last === undefined ? [] : lettersOf(last)
      await storage.transaction(async (stores) => {
        for (const letter of letters) await stores.outbox.put(rowOf(letter, stateOf(letter)))
        await stores.inbox.finish(turn)
      })
      for (const letter of letters) enqueue(() => deliver(letter))
      for (const row of earlier)
        if (!used.has(row.key) && row.platformId !== null) enqueue(() => withdraw(row, settings))
      await sending
      await store.forget(turn)
    },
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
