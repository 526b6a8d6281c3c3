import type { Storage } from '../storage/index.ts'

const MINUTE_MS = 60_000

/** Forgets what has had its time: keys of repeated requests, and admissions that no limit counts any more. */
export async function forget({ stores }: Storage): Promise<number> {
  return (await stores.idempotencyKeys.forget()) + (await stores.rateLimits.forget(MINUTE_MS))
}
