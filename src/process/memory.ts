import { createMemory, type Memory } from '../harness/index.ts'
import { messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { Storage } from '../storage/index.ts'

const EVERY_MS = 3_600_000

type Parts = Readonly<{ storage: Storage; retentionDays: number; log: Log }>

/** The harness's memory, kept in the store; every hour what is older than the retention is forgotten. */
export function keepMemory({ storage, retentionDays, log }: Parts): Readonly<{ memory: Memory; stop(): void }> {
  const memory = createMemory(storage.stores, storage.now)
  const forget = () => {
    memory.forgetOlderThan(retentionDays).catch((thrown: unknown) => {
      log.warn({ error: messageOf(thrown) }, 'Old conversations were not forgotten; it is tried again.')
    })
  }
  forget()
  const timer = setInterval(forget, EVERY_MS)
  timer.unref()
  return { memory, stop: () => clearInterval(timer) }
}
