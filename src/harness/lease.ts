import { messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Storage } from '../storage/index.ts'

/** A lease that this process tries to have. */
export type Lease = Readonly<{
  isHeld(): boolean
  /** Whether another process was seen to have it. */
  isTaken(): boolean
  /** Gives it back, so that another need not wait. */
  stop(): Promise<void>
}>

/** What a lease is for. Nothing is renewed while one of the promises runs. */
export type LeaseSettings = Readonly<{
  name: string
  holder: string
  storage: Storage
  log: Log
  onGained(): Promise<void>
  onLost(): Promise<void>
  ttlMs?: number
}>

const TTL_MS = 15_000

/** Holds a lease while the process lives, or waits for it. Another process has it at the earliest when it has run out here. */
export function holdLease({ name, holder, storage, log, onGained, onLost, ttlMs = TTL_MS }: LeaseSettings): Lease {
  const { leases } = storage.stores
  let heldUntil = 0
  let isHeld = false
  let isTaken = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> = Promise.resolve()

  async function tend(): Promise<void> {
    const from = performance.now()
    const taken = await leases.take(name, holder, ttlMs).catch((thrown: unknown) => {
      log.warn({ lease: name, error: messageOf(thrown) }, 'The lease could not be renewed.')
      return undefined
    })
    if (taken === true) heldUntil = from + ttlMs
    isTaken = taken === false
    // Where the store is silent nobody else can have it until it has run out.
    const has = taken ?? (isHeld && performance.now() < heldUntil)
    if (has === isHeld) return
    isHeld = has
    log.info({ lease: name }, has ? 'The lease is ours.' : 'The lease is lost.')
    await (has ? onGained() : onLost())
  }

  function again(): void {
    if (stopped) return
    round = tend()
      .catch((thrown: unknown) => log.error({ lease: name, error: messageOf(thrown) }, 'A lease was not tended.'))
      .finally(() => {
        if (stopped) return
        timer = setTimeout(again, ttlMs / 4)
        timer.unref()
      })
  }
  again()

  return {
    isHeld: () => isHeld && performance.now() < heldUntil,
    isTaken: () => isTaken,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await round
      if (isHeld) await leases.release(name, holder).catch(() => undefined)
      isHeld = false
    },
  }
}
