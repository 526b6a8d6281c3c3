import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import type { Json, OutboxRow, Storage } from '../storage/index.ts'
import type { Body, Button, Channel, Post, Sent } from './channel.ts'

/** A message to send and keep: where to, as the answer to what, and by which key. */
export type Letter = Readonly<{
  key: string
  /** The inbox row that it answers, if one. */
  turn: number | null
  channel: Channel
  conversation: string
  body: Body
  buttons: readonly Button[]
  replyTo?: string | undefined
  replaces?: string | undefined
}>

/** How one account's messages left: for its metrics. */
export type OutboxCounts = Readonly<{ sent: number; retried: number; repeats: number; refused: number }>

/** Sends what has to arrive: each message once, or marked as a possible repeat. */
export type Outbox = Readonly<{
  /** Sends a message that is written down already, until it arrives, is refused for good, or the process stops. */
  deliver(letter: Letter, isRepeat?: boolean): Promise<string | undefined>
  /** Sends what an earlier process of the account left behind. */
  recover(channel: Channel): Promise<void>
  counts(channel: Channel): OutboxCounts
  /** Ends all waiting. What did not arrive stays written down. */
  stop(): void
}>

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000

/** What a letter is written down as. */
type Kept = Readonly<{ body: Body; buttons: readonly Button[]; replyTo?: string; replaces?: string }>

type Counts = { sent: number; retried: number; repeats: number; refused: number }

type Work = Readonly<{
  storage: Storage
  log: Log
  signal: AbortSignal
  counts: Map<Channel, Counts>
  /** When an account may send again, where its platform said to wait. */
  quietUntil: Map<Channel, number>
}>

/** An outbox over a store. */
export function createOutbox({ storage, log }: Readonly<{ storage: Storage; log: Log }>): Outbox {
  const stopping = new AbortController()
  const work: Work = { storage, log, signal: stopping.signal, counts: new Map(), quietUntil: new Map() }
  const store = storage.stores.outbox
  return {
    deliver: (letter, isRepeat) => deliver(work, letter, isRepeat ?? false),
    counts: (channel) => countsOf(work, channel),
    stop: () => stopping.abort(),
    async recover(channel) {
      const byConversation = Map.groupBy(
        await store.undelivered(channel.name, channel.account),
        ({ conversation }) => conversation,
      )
      await Promise.all(
        [...byConversation.values()].map(async (rows) => {
          for (const row of rows) {
            await deliver(work, letterOf(row, channel), row.state === 'sending' && row.platformId === null)
            if (row.turn !== null) await store.forget(row.turn)
          }
        }),
      )
    },
  }
}

function countsOf({ counts }: Work, channel: Channel): Counts {
  const counted = counts.get(channel) ?? { sent: 0, retried: 0, repeats: 0, refused: 0 }
  counts.set(channel, counted)
  return counted
}

async function pause({ quietUntil, signal }: Work, channel: Channel, ms: number): Promise<void> {
  const until = Math.max(performance.now() + ms, quietUntil.get(channel) ?? 0)
  const left = until - performance.now()
  if (left > 0) await sleep(left, undefined, { signal }).catch(() => undefined)
}

async function deliver(work: Work, letter: Letter, isRepeat: boolean): Promise<string | undefined> {
  const { channel, key } = letter
  const store = work.storage.stores.outbox
  const counts = countsOf(work, channel)
  let repeat = isRepeat
  for (let tries = 1; ; tries++) {
    await pause(work, channel, 0)
    if (work.signal.aborted) return undefined
    const sent = await attempt(work, letter, repeat)
    if (sent.ok) {
      counts.sent += 1
      if (repeat) counts.repeats += 1
      await store.mark(key, 'sent', sent.id)
      return sent.id
    }
    const { name, account } = channel
    work.log.warn({ channel: name, account, why: sent.why, reason: sent.reason }, 'Not delivered.')
    if (sent.why === 'refused') {
      counts.refused += 1
      await store.mark(key, 'failed')
      return undefined
    }
    counts.retried += 1
    // A change of a message can be made twice; a new message would be there twice.
    repeat ||= sent.why === 'unknown' && letter.replaces === undefined
    await afterFailure(work, letter, sent, tries)
  }
}

async function attempt({ storage }: Work, letter: Letter, isRepeat: boolean): Promise<Sent> {
  const { channel, conversation, key, body, buttons, replyTo, replaces } = letter
  await storage.stores.outbox.mark(key, 'sending')
  return channel.send(conversation, { key, body, buttons, isFinal: true, isRepeat, replyTo, replaces })
}

async function afterFailure(
  work: Work,
  { channel, key }: Letter,
  sent: Exclude<Sent, { ok: true }>,
  tries: number,
): Promise<void> {
  const backoff = jittered(Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS))
  if (sent.why !== 'later') return pause(work, channel, backoff)
  await work.storage.stores.outbox.mark(key, 'waiting')
  if (sent.afterMs > 0) work.quietUntil.set(channel, performance.now() + sent.afterMs)
  await pause(work, channel, sent.afterMs > 0 ? sent.afterMs : backoff)
}

function jittered(ms: number): number {
  return ms * (0.75 + Math.random() / 2)
}

/** A letter as it is written down. */
export function rowOf(letter: Letter, state: OutboxRow['state']): Omit<OutboxRow, 'platformId'> {
  const { key, turn, channel, conversation, body, buttons, replyTo, replaces } = letter
  const kept: Kept = {
    body,
    buttons,
    ...(replyTo !== undefined && { replyTo }),
    ...(replaces !== undefined && { replaces }),
  }
  return { key, turn, channel: channel.name, account: channel.account, conversation, body: kept as Json, state }
}

function letterOf({ key, turn, conversation, body, platformId }: OutboxRow, channel: Channel): Letter {
  const { replaces, ...kept } = body as Kept
  return { key, turn, channel, conversation, ...kept, replaces: platformId ?? replaces }
}

/** The body of a message that was written down. */
export function bodyOf({ body }: OutboxRow): Body {
  return (body as Kept).body
}

/** The buttons of a message that was written down. */
export function buttonsOf({ body }: OutboxRow): readonly Button[] {
  return (body as Kept).buttons
}

/** A post of an answer that is still being written: a draft, which nobody waits for. */
export function draftOf({ key, body, replyTo, replaces }: Letter): Post {
  return { key, body, buttons: [], isFinal: false, isRepeat: false, replyTo, replaces }
}
