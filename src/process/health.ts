import type { HealthService } from '../api/index.ts'
import type { AccountReport } from '../harness/index.ts'
import { messageOf } from '../lib/errors.ts'
import type { Storage } from '../storage/index.ts'

/**
 * How the process is: ready while its store answers and it is not stopping (contract section 1). `lists` says what is
 * wrong with the bundled list of sanctions, null where nothing is.
 */
export function createHealth(
  storage: Storage,
  isStopping: () => boolean,
  channels: () => readonly AccountReport[] = () => [],
  lists: () => string | null = () => null,
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
      const list = lists()
      const sanctions = list === null ? {} : { sanctions: { ok: false, detail: list } }
      return {
        ready: store.ok && process.ok,
        checks: { store, process, ...sanctions, ...Object.fromEntries(accounts) },
      }
    },
  }
}
