import { randomUUID } from 'node:crypto'
import { CountersignError, messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { InboxRow, Json, Storage } from '../storage/index.ts'
import { type AccessSettings, admit } from './access.ts'
import type { Body, Channel, ChannelState, InboundMessage, Outbound } from './channel.ts'
import { commandIn } from './commands.ts'
import type { Harness, Incoming } from './harness.ts'
import type { Lanes } from './lanes.ts'
import { holdLease, type Lease } from './lease.ts'
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
const MOST_ATTEMPTS = 3
const SECOND_NOTICE_MS = 60_000

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
}>

/** What is kept of a message beside its words. */
type Stamp = Pick<Incoming, 'isOwner' | 'agent' | 'isScheduled'>

/** One account: what comes in for it, and the answers to it. */
export function createDesk(settings: DeskSettings) {
  const { account, me, outbox, lanes, harness, storage, log } = settings
  const { channel, access, agent } = account
  const { inbox } = storage.stores
  const name = { channel: channel.name, account: channel.account }
  const known = new Set<number>()
  const noticed = new Map<string, number>()
  const counts = { received: 0, turnedAway: 0 }
  const opening = new AbortController()
  let lease: Lease | undefined
  let failure: string | undefined
  let isOpen = false
  let isCutOff = false

  const laneOf = ({ conversation, button, text }: InboundMessage) => {
    const side = button !== undefined ? ' buttons' : commandIn(text) !== undefined ? ` command ${randomUUID()}` : ''
    return `${channel.name} ${channel.account} ${conversation}${side}`
  }

  async function receive(message: InboundMessage): Promise<void> {
    counts.received += 1
    const admission =
      access === 'owner'
        ? ({ kind: 'admitted', isOwner: true } as const)
        : await admit(message, access, { storage, ...name })
    if (admission.kind === 'admitted') await take(message, { isOwner: admission.isOwner, agent })
    else if (admission.kind === 'pair') await notice(message, pairingText(admission.code))
    else if (admission.kind === 'unknown')
      await notice(message, `I do not know you. Your id here is ${message.sender}.`)
  }

  /** Something said to a conversation without a turn, and not again for a while. */
  async function notice(message: InboundMessage, text: string): Promise<void> {
    const { conversation, sender, replyTo } = message
    const last = noticed.get(sender)
    if (last !== undefined && performance.now() - last < SECOND_NOTICE_MS) return
    noticed.delete(sender)
    noticed.set(sender, performance.now())
    for (const [oldest] of noticed) if (noticed.size > 1_000) noticed.delete(oldest)
    await tell(conversation, text, replyTo)
  }

  /** Something said to a conversation by itself. */
  async function tell(conversation: string, text: string, replyTo?: string): Promise<void> {
    const body: Body = { type: 'status', text }
    const letter: Letter = { key: randomUUID(), turn: null, channel, conversation, body, buttons: [], replyTo }
    await storage.stores.outbox.put(rowOf(letter, 'waiting'))
    void outbox
      .deliver(letter)
      .then((id) => (id === undefined ? undefined : storage.stores.outbox.remove(letter.key)))
      .catch((thrown: unknown) => log.warn({ ...name, error: messageOf(thrown) }, 'A notice was not sent.'))
  }

  /** Keeps a message, and puts it into its lane. False where it was kept before. */
  async function take(message: InboundMessage, stamp: Stamp): Promise<boolean> {
    const lane = laneOf(message)
    const { id, conversation } = message
    const kept: Incoming = { ...message, ...stamp }
    const seq = await inbox.take({ ...name, messageId: id, conversation, message: kept as Json, owner: me })
    if (seq === undefined) return false
    if (lanes.length(lane) > MOST_WAITING) {
      counts.turnedAway += 1
      await inbox.finish(seq)
      await notice(message, 'Too much is waiting here: write again when I have answered.')
      return true
    }
    enqueue({
      ...name,
      seq,
      messageId: id,
      conversation,
      message: kept as Json,
      owner: me,
      state: 'waiting',
      attempts: 0,
    })
    return true
  }

  function enqueue(row: InboxRow): void {
    if (known.has(row.seq)) return
    known.add(row.seq)
    lanes.put(laneOf(row.message as Incoming), async () => {
      try {
        await answer(row)
      } catch (thrown) {
        // It stays in the inbox, and is taken up again.
        log.error({ ...name, error: messageOf(thrown) }, 'A message could not be answered.')
      } finally {
        known.delete(row.seq)
      }
    })
  }

  async function answer(row: InboxRow): Promise<void> {
    const { seq, conversation } = row
    const message = row.message as Incoming
    if (opening.signal.aborted || !(await inbox.begin(seq, me))) return
    const isAgain = row.attempts > 0 || row.state === 'running'
    const earlier = isAgain ? await storage.stores.outbox.ofTurn(seq) : []
    const { replyTo, button } = message
    const reply = createReply({
      storage,
      outbox,
      channel,
      conversation,
      turn: seq,
      replyTo,
      under: button?.under,
      earlier,
    })
    const isCommand = commandIn(message.text) !== undefined
    const working = isCommand ? undefined : keepWorking(conversation)
    try {
      if (row.attempts >= MOST_ATTEMPTS) await reply.emit(gaveUp)
      else if (button === undefined && harness.status().mode === 'direct' && wasActedOn(earlier))
        await answerInterrupted(earlier, { storage, emit: reply.emit })
      else await harness.receive(channel.name, { ...message, account: channel.account, isAgain }, reply.emit)
      // What a stop has cut off is answered by the next process.
      if (!isCutOff) await reply.finish()
    } finally {
      clearInterval(working)
      if (lanes.length(laneOf(message)) <= 1) await channel.send(conversation, { type: 'idle' })
    }
  }

  function keepWorking(conversation: string): NodeJS.Timeout {
    const tell = () => void channel.send(conversation, { type: 'working' })
    tell()
    return setInterval(tell, WORKING_EVERY_MS)
  }

  /** Opens the channel, however long its platform takes to let it in. */
  async function begin(): Promise<void> {
    if (account.isExclusive) await inbox.adopt(channel.name, channel.account, me)
    for (let pause = 1_000; !opening.signal.aborted; pause = Math.min(pause * 2, 60_000)) {
      try {
        await channel.start(receive)
        failure = undefined
        isOpen = true
        break
      } catch (thrown) {
        failure = thrown instanceof CountersignError ? thrown.message : 'It could not be started.'
        log.warn({ ...name, error: failure }, 'A channel did not start; it is tried again.')
        await untilAborted(pause, opening.signal)
      }
    }
    if (opening.signal.aborted) return
    await outbox.recover(channel)
    await sweep()
  }

  async function sweep(): Promise<void> {
    if (!isOpen || opening.signal.aborted) return
    try {
      if (!account.isExclusive) await inbox.adoptOrphans(channel.name, me)
      for (const row of await inbox.unanswered(me)) if (isMine(row)) enqueue(row)
    } catch (thrown) {
      log.warn({ ...name, error: messageOf(thrown) }, 'The inbox could not be read; it is tried again.')
    }
  }

  const isMine = (row: InboxRow) => row.channel === channel.name && row.account === channel.account

  return {
    channel,
    take,
    tell,
    sweep,
    /** Whether another process has the account open. */
    isElsewhere: () => account.isExclusive && !isOpen && failure === undefined && lease?.isHeld() !== true,
    async open() {
      if (!account.isExclusive) return begin()
      const report = (thrown: unknown) => log.error({ ...name, error: messageOf(thrown) }, 'A channel was not opened.')
      lease = holdLease({
        name: `${channel.name} ${channel.account}`,
        holder: me,
        storage,
        log,
        onGained: async () => void begin().catch(report),
        async onLost() {
          isOpen = false
          await channel.stop()
        },
        ...(settings.leaseMs !== undefined && { ttlMs: settings.leaseMs }),
      })
    },
    async close() {
      opening.abort()
      isOpen = false
      await channel.stop().catch((thrown: unknown) => log.warn({ ...name, error: messageOf(thrown) }, 'Not stopped.'))
    },
    /** Leaves what is not answered yet to another process. */
    cutOff() {
      isCutOff = true
    },
    release: async () => lease?.stop(),
    owner: () => (access === 'owner' ? undefined : access.owners?.[0]),
    /** The owner to whom an agent turns by itself. */
    ownerOf(agentId: string): string | undefined {
      if (access === 'owner' || (agent !== undefined && agent !== agentId)) return undefined
      return access.owners?.[0]
    },
    report(): AccountReport {
      const waiting = account.isExclusive && lease?.isTaken() === true
      const closed = waiting ? 'another process has it' : (failure ?? 'starting')
      const state = isOpen ? channel.state() : { ok: waiting, detail: closed }
      return { ...name, state, ...counts, outbox: outbox.counts(channel) }
    },
  }
}

const gaveUp: Outbound = {
  type: 'error',
  text: 'This message could not be answered, however often I began. Write it again.',
}

function pairingText(code: string): string {
  return `I do not know you yet. Your code is ${code}. Give it to the owner, who lets you in with /approve ${code} within an hour.`
}

async function untilAborted(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
  })
}
