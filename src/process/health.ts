import type { HealthService } from '../api/index.ts'
import type { AccountReport } from '../harness/index.ts'
import { messageOf } from '../lib/errors.ts'
import type { Storage } from '../storage/index.ts'

/** What a process is asked about itself. The faults are in words, and null where there is none. */
export type HealthParts = Readonly<{
  isStopping(): boolean
  channels?: () => readonly AccountReport[]
  /** What is wrong with the bundled list of sanctions. */
  listFault?: () => string | null
  /** What is wrong with a policy service elsewhere, where there is one. */
  serviceFault?: (() => Promise<string | null>) | undefined
}>

/** How the process is: ready while its store answers and it is not stopping (contract section 1). */
export function createHealth(
  storage: Storage,
  { isStopping, channels = () => [], listFault = () => null, serviceFault }: HealthParts,
): HealthService {
  const startedAt = performance.now()
  return {
    uptimeSeconds: () => (performance.now() - startedAt) / 1000,
    async readiness() {
      const store = await storage.check().then(
        () => ({ ok: true }),
        (thrown: unknown) => ({ ok: false, detail: messageOf(thrown) }),
      )
      const process = isStopping() ? { ok: false, detail: 'shutting down' } : { ok: true }
      // A platform that is away is said, and takes nothing else down.
      const accounts = channels().map(({ channel, account, state: { ok, detail } }) => {
        return [`${channel}/${account}`, { ok, detail }] as const
      })
      // So is a list that is too old: nothing is cleared by it, and chains with an oracle of their own do not need it.
      const list = listFault()
      const sanctions = list === null ? {} : { sanctions: { ok: false, detail: list } }
      // And so is a service elsewhere: without it nothing is decided, and the chat goes on.
      const fault = await serviceFault?.()
      const service =
        fault === undefined ? {} : { service: fault === null ? { ok: true } : { ok: false, detail: fault } }
      return {
        ready: store.ok && process.ok,
        checks: { store, process, ...service, ...sanctions, ...Object.fromEntries(accounts) },
      }
    },
  }
}
