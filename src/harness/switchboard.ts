import { randomUUID } from 'node:crypto'
import { messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Storage } from '../storage/index.ts'
import { type Account, type AccountReport, createDesk } from './desk.ts'
import type { Harness } from './harness.ts'
import { createLanes } from './lanes.ts'
import { holdLease, type Lease } from './lease.ts'
import { createOutbox } from './outbox.ts'

/** What a switchboard is built from. */
export type SwitchboardSettings = Readonly<{
  accounts: readonly Account[]
  harness: Harness
  storage: Storage
  log: Log
  /** The zone in which times are told to those who named none; UTC by default. */
  timeZone?: string | undefined
  /** For tests: how long a lease lives, in ms. */
  leaseMs?: number
}>

/** Between channels and harness: what was written is kept, answered once and in its order, and the answer arrives. */
export type Switchboard = Readonly<{
  start(): Promise<void>
  /** Takes nothing more, ends what can be ended soon, and leaves the rest to the next process. */
  stop(): Promise<void>
  reports(): readonly AccountReport[]
  /**
   * Has an agent answer a text by itself, in the chat of its owner. The id is taken once, over all processes. False where it
   * was taken before, or the agent has no owner in a chat.
   */
  prompt(agentId: string, message: Readonly<{ id: string; text: string }>): Promise<boolean>
  /** Tells the owner something by itself. False where no owner has a chat. */
  tell(text: string): Promise<boolean>
  /** Whether the chat of an owner is open in another process: that one turns to them. */
  isElsewhere(): boolean
}>

const MOST_RUNNING = 32
const SWEEP_MS = 2_000
const FINISH_WITHIN_MS = 2_000
const STOP_WITHIN_MS = 3_000
const KEPT_MS = 3 * 86_400_000
const PRUNE_MS = 3_600_000

/** Builds the switchboard; nothing is taken before `start`. */
export function createSwitchboard(settings: SwitchboardSettings): Switchboard {
  const { accounts, harness, storage, log, timeZone = 'UTC', leaseMs } = settings
  const me = randomUUID()
  const outbox = createOutbox({ storage, log })
  const lanes = createLanes(MOST_RUNNING)
  const desks = accounts.map((account) =>
    createDesk({ harness, storage, log, account, me, outbox, lanes, leaseMs, timeZone }),
  )
  const timers: NodeJS.Timeout[] = []
  let process: Lease | undefined

  return {
    async start() {
      process = holdLease({
        name: `process ${me}`,
        holder: me,
        storage,
        log: { ...log, info: log.debug },
        onGained: async () => undefined,
        onLost: async () => undefined,
        ...(settings.leaseMs !== undefined && { ttlMs: settings.leaseMs }),
      })
      await Promise.all(desks.map((desk) => desk.open()))
      timers.push(
        setInterval(() => void Promise.all(desks.map((desk) => desk.sweep())), SWEEP_MS).unref(),
        setInterval(() => void prune(storage, log), PRUNE_MS).unref(),
      )
    },
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(desks.map((desk) => desk.close()))
      await within(FINISH_WITHIN_MS, lanes.drained())
      for (const desk of desks) desk.cutOff()
      harness.stopTurns()
      outbox.stop()
      await within(STOP_WITHIN_MS, lanes.drained())
      await Promise.all(desks.map((desk) => desk.release()))
      await process?.stop()
    },
    reports: () => desks.map((desk) => desk.report()),
    async tell(text) {
      const desk = desks.find((one) => one.owner() !== undefined)
      const owner = desk?.owner()
      if (desk === undefined || owner === undefined) return false
      await desk.tell(desk.channel.directWith(owner), text)
      return true
    },
    isElsewhere: () => desks.some((desk) => desk.owner() !== undefined && desk.isElsewhere()),
    async prompt(agentId, { id, text }) {
      const desk = desks.find((one) => one.ownerOf(agentId) !== undefined)
      const owner = desk?.ownerOf(agentId)
      if (desk === undefined || owner === undefined) return false
      const conversation = desk.channel.directWith(owner)
      return desk.take({ id, conversation, sender: owner, text }, { isOwner: true, agent: agentId, isScheduled: true })
    },
  }
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>()
  const timer = setTimeout(late.resolve, ms)
  await Promise.race([work, late.promise])
  clearTimeout(timer)
}

/** Ids are kept for longer than any platform delivers again. */
async function prune(storage: Storage, log: Log): Promise<void> {
  try {
    const before = (await storage.now()) - KEPT_MS
    await storage.stores.inbox.prune(before)
    await storage.stores.confirmations.prune(before)
  } catch (thrown) {
    log.warn({ error: messageOf(thrown) }, 'The inbox could not be pruned; it is tried again.')
  }
}
