import type { HealthService } from '../api/index.ts'
import { messageOf } from '../lib/errors.ts'
import type { Storage } from '../storage/index.ts'

/** Whether the process can serve: it is not stopping, and its store answers (contract section 1). */
export async function readinessOf({
  storage,
  stopping,
}: Readonly<{ storage: Storage; stopping: boolean }>): ReturnType<HealthService['readiness']> {
  const store = await storage.check().then(
    () => ({ ok: true }),
    (thrown: unknown) => ({ ok: false, detail: messageOf(thrown) }),
  )
  const process = stopping ? { ok: false, detail: 'shutting down' } : { ok: true }
  return { ready: store.ok && process.ok, checks: { store, process } }
}
