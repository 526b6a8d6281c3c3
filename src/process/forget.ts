import type { Storage } from '../storage/index.ts'

const MINUTE_MS = 60_000
/** How long a code or a token that has ended is still known as one. */
const DAY_MS = 86_400_000

/** Forgets what has had its time: keys of repeated requests, admissions that no limit counts, sign-ins
 * that are over, what was posted before yesterday. */
export async function forget({ stores, now }: Storage): Promise<number> {
  const { signInNonces, sessions, connections, oauthRecords } = stores
  const ended = (await now()) - DAY_MS
  for (const store of [signInNonces, sessions, connections, oauthRecords]) await store.forget(ended)
  const minutes = await stores.holds.forgetMinutes()
  return minutes + (await stores.idempotencyKeys.forget()) + (await stores.rateLimits.forget(MINUTE_MS))
}
