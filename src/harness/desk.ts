import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { InboxRow, Json, Storage } from '../storage/index.ts'
import { type AccessSettings, admit, pairingText } from './access.ts'
import type { Body, Channel, ChannelState, InboundMessage, Outbound } from './channel.ts'
import { commandIn } from './commands.ts'
import type { Harness, Incoming } from './harness.ts'
import type { Lanes } from './lanes.ts'
import { holdLease, type Lease } from './lease.ts'
import { clockFor, inTheirTime } from './moments.ts'
import { type Letter, type Outbox, type OutboxCounts, rowOf } from './outbox.ts'
import { answerInterrupted, wasActedOn } from './recovery.ts'
import { createReply } from './reply.ts'

/** An account of a channel, and who may write to it. */
export type Account = Readonly<{
  channel: Channel
  access: AccessSettings | 'owner'
  /** Agent that answers where none is named. */
  agent?: string | undefined
  /** Whether one process alone may have it open, as platforms demand of bots. */
  isExclusive: boolean
}>

/** How an account is doing. */
export type AccountReport = Readonly<{
  channel: string
  account: string
  state: ChannelState
  /** Messages taken so far, those turned away among them. */
  received: number
  turnedAway: number
  outbox: OutboxCounts
}>

const MOST_WAITING = 20
const WORKING_EVERY_MS = 5_000
const MOST_ATTEMPTS = 20
const SECOND_NOTICE_MS = 60_000
const MOST_NOTICED = 1_000

/** What a desk is built from. */
export type DeskSettings = Readonly<{
  account: Account
  /** This process, as leases and the inbox know it. */
  me: string
  harness: Harness
  storage: Storage
  outbox: Outbox
  lanes: Lanes
  log: Log
  leaseMs: number | undefined
  /** Times are told in it where nothing says another. */
  timeZone: string
}>

/** One account: what comes in for it, and the answers to it. */
export type Desk = ReturnType<typeof createDesk>

type Name = Readonly<{ channel: string; account: string }>

/** What a desk works with, and how it is. */
type Inner = DeskSettings & {
  readonly channel: Channel
  readonly name: Name
  /** Rows of the inbox that are in a lane. */
  readonly known: Set<number>
  /** When senders were told something without a turn. */
  readonly noticed: Map<string, number>
  readonly counts: { received: number; turnedAway: number }
  readonly closing: AbortController
  lease: Lease | undefined
  failure: string | undefined
  isOpen: boolean
  isCutOff: boolean
}

/** A desk for an account; nothing is taken before it is opened. */
export function createDesk(settings: DeskSettings) {
  const { channel, access, agent } = settings.account
  const desk: Inner = {
    ...settings,
    channel,
    name: { channel: channel.name, account: channel.account },
    known: new Set(),
    noticed: new Map(),
    counts: { received: 0, turnedAway: 0 },
    closing: new AbortController(),
    lease: undefined,
    failure: undefined,
    isOpen: false,
    isCutOff: false,
  }
  return {
    channel,
    take: (message: InboundMessage, stamp: Stamp) => take(desk, message, stamp),
    tell: (conversation: string, text: string) => tell(desk, conversation, text),
    /** Whether another process has the account open. */
    isElsewhere: () =>
      desk.account.isExclusive && !desk.isOpen && desk.failure === undefined && desk.lease?.isHeld() !== true,
    owner: () => (access === 'owner' ? undefined : access.owners?.[0]),
    sweep: () => sweep(desk),
    open: () => open(desk),
    async close() {
      desk.closing.abort()
      desk.isOpen = false
      await channel
        .stop()
        .catch((thrown: unknown) => desk.log.warn({ ...desk.name, error: messageOf(thrown) }, 'Not stopped.'))
    },
    /** Leaves what is not answered yet to another process. */
    cutOff() {
      desk.isCutOff = true
    },
    release: async () => desk.lease?.stop(),
    /** The owner to whom an agent turns by itself. */
    ownerOf(agentId: string): string | undefined {
      if (access === 'owner' || (agent !== undefined && agent !== agentId)) return undefined
      return access.owners?.[0]
    },
    report: () => reportOf(desk),
  }
}

/** What is kept of a message beside its words. */
type Stamp = Pick<Incoming, 'isOwner' | 'agent' | 'isScheduled'>

async function receive(desk: Inner, message: InboundMessage): Promise<void> {
  const { account, storage, name, counts } = desk
  counts.received += 1
  const admission =
    account.access === 'owner'
      ? ({ kind: 'admitted', isOwner: true } as const)
      : await admit(message, account.access, { storage, ...name })
  if (admission.kind === 'admitted') await take(desk, message, { isOwner: admission.isOwner, agent: account.agent })
  else if (admission.kind === 'pair') await notice(desk, message, pairingText(admission.code))
  else if (admission.kind === 'unknown')
    await notice(desk, message, `I do not know you. Your id here is ${message.sender}.`)
}

/** Something said to a conversation without a turn, and not again for a while. */
async function notice(desk: Inner, { conversation, sender, replyTo }: InboundMessage, text: string): Promise<void> {
  const { noticed } = desk
  const last = noticed.get(sender)
  if (last !== undefined && performance.now() - last < SECOND_NOTICE_MS) return
  noticed.delete(sender)
  noticed.set(sender, performance.now())
  const [oldest] = noticed.keys()
  if (noticed.size > MOST_NOTICED && oldest !== undefined) noticed.delete(oldest)
  await tell(desk, conversation, text, replyTo)
}

/** Tells a conversation something by itself. Done when it is written down. */
async function tell(desk: Inner, conversation: string, text: string, replyTo?: string): Promise<void> {
  const { channel, storage, outbox, log, name } = desk
  const body: Body = { type: 'status', text }
  const letter: Letter = { key: randomUUID(), turn: null, channel, conversation, body, buttons: [], replyTo }
  await storage.stores.outbox.put(rowOf(letter, 'waiting'))
  void outbox
    .deliver(letter)
    .then((id) => (id === undefined ? undefined : storage.stores.outbox.remove(letter.key)))
    .catch((thrown: unknown) => log.warn({ ...name, error: messageOf(thrown) }, 'A notice was not sent.'))
}

/** Keeps a message, and puts it into its lane. False where it was kept before. */
async function take(desk: Inner, message: InboundMessage, stamp: Stamp): Promise<boolean> {
  const { name, me, lanes, counts } = desk
  const { inbox } = desk.storage.stores
  const { id, conversation } = message
  const kept: Incoming = { ...message, ...stamp }
  // Before anything is written: others wait behind what a flood costs.
  if (lanes.length(laneOf(desk, message)) > MOST_WAITING) {
    counts.turnedAway += 1
    await notice(desk, message, 'Too much is waiting here: write again when I have answered.')
    return true
  }
  const row = { ...name, messageId: id, conversation, message: kept as Json, owner: me }
  const seq = await inbox.take(row)
  if (seq === undefined) return false
  enqueue(desk, { ...row, seq, state: 'waiting', attempts: 0 })
  return true
}

/** Buttons have a lane of their own, and a command waits for nothing. */
function laneOf({ channel }: Inner, { conversation, button, text }: InboundMessage): string {
  const side = button !== undefined ? ' buttons' : commandIn(text) !== undefined ? ` command ${randomUUID()}` : ''
  return `${channel.name} ${channel.account} ${conversation}${side}`
}

function enqueue(desk: Inner, row: InboxRow): void {
  const { known, lanes, log, name } = desk
  if (known.has(row.seq)) return
  known.add(row.seq)
  const lane = laneOf(desk, row.message as Incoming)
  lanes.put(lane, async () => {
    try {
      await answer(desk, row, lane)
    } catch (thrown) {
      // It stays in the inbox, and is taken up again.
      log.error({ ...name, error: messageOf(thrown) }, 'A message could not be answered.')
    } finally {
      known.delete(row.seq)
    }
  })
}

async function answer(desk: Inner, row: InboxRow, lane: string): Promise<void> {
  const { storage, outbox, channel, harness, lanes, me, closing } = desk
  const { seq, conversation } = row
  const message = row.message as Incoming
  if (closing.signal.aborted || !(await storage.stores.inbox.begin(seq, me))) return
  const isAgain = row.attempts > 0 || row.state === 'running'
  const earlier = isAgain ? await storage.stores.outbox.ofTurn(seq) : []
  const { replyTo, button } = message
  const under = button?.under === '' ? undefined : button?.under
  const reply = createReply({ storage, outbox, channel, conversation, turn: seq, replyTo, under, earlier })
  const emit = async (said: Outbound) => reply.emit(await inTheirTime(said, () => clockFor(desk, message)))
  const working = commandIn(message.text) === undefined ? keepWorking(desk, conversation) : undefined
  try {
    if (row.attempts >= MOST_ATTEMPTS) await reply.emit(gaveUpOn(message))
    else if (button === undefined && harness.status().mode === 'direct' && wasActedOn(earlier))
      await answerInterrupted(earlier, { storage, emit: reply.emit })
    else await harness.receive(channel.name, { ...message, account: channel.account, isAgain }, emit)
    // What a stop has cut off is answered by the next process.
    if (!desk.isCutOff) await reply.finish()
  } finally {
    clearInterval(working)
    if (lanes.length(lane) <= 1) await channel.send(conversation, { type: 'idle' })
  }
}

function keepWorking({ channel }: Inner, conversation: string): NodeJS.Timeout {
  const tell = () => void channel.send(conversation, { type: 'working' })
  tell()
  return setInterval(tell, WORKING_EVERY_MS)
}

async function open(desk: Inner): Promise<void> {
  const { account, channel, me, storage, log, name, leaseMs } = desk
  if (!account.isExclusive) return begin(desk)
  const report = (thrown: unknown) => log.error({ ...name, error: messageOf(thrown) }, 'A channel was not opened.')
  desk.lease = holdLease({
    name: `${channel.name} ${channel.account}`,
    holder: me,
    storage,
    log,
    onGained: async () => void begin(desk).catch(report),
    async onLost() {
      desk.isOpen = false
      await channel.stop()
    },
    ...(leaseMs !== undefined && { ttlMs: leaseMs }),
  })
}

/** Opens the channel, however long its platform takes to let it in. */
async function begin(desk: Inner): Promise<void> {
  const { account, storage, channel, me, closing, log, name, outbox } = desk
  if (account.isExclusive) await storage.stores.inbox.adopt(channel.name, channel.account, me)
  for (let pause = 1_000; !closing.signal.aborted && !desk.isOpen; pause = Math.min(pause * 2, 60_000)) {
    try {
      await channel.start((message) => receive(desk, message))
      desk.failure = undefined
      desk.isOpen = true
    } catch (thrown) {
      desk.failure = thrown instanceof CountersignError ? thrown.message : 'It could not be started.'
      log.warn({ ...name, error: desk.failure }, 'A channel did not start; it is tried again.')
      await sleep(pause, undefined, { signal: closing.signal }).catch(() => undefined)
    }
  }
  if (closing.signal.aborted) return
  await outbox.recover(channel)
  await sweep(desk)
}

async function sweep(desk: Inner): Promise<void> {
  const { account, storage, channel, me, closing, log, name } = desk
  const { inbox } = storage.stores
  if (!desk.isOpen || closing.signal.aborted) return
  try {
    if (!account.isExclusive) await inbox.adoptOrphans(channel.name, me)
    for (const row of await inbox.unanswered(me))
      if (row.channel === channel.name && row.account === channel.account) enqueue(desk, row)
  } catch (thrown) {
    log.warn({ ...name, error: messageOf(thrown) }, 'The inbox could not be read; it is tried again.')
  }
}

function reportOf({ account, lease, failure, isOpen, channel, name, counts, outbox }: Inner): AccountReport {
  const waiting = account.isExclusive && lease?.isTaken() === true
  const closed = waiting ? 'another process has it' : (failure ?? 'starting')
  const state = isOpen ? channel.state() : { ok: waiting, detail: closed }
  return { ...name, state, ...counts, outbox: outbox.counts(channel) }
}

function gaveUpOn({ text }: InboundMessage): Outbound {
  return { type: 'error', text: `However often I began, I could not answer this: ${text.slice(0, 200)}` }
}
