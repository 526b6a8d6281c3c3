import { batching } from '../lib/batching.ts'
import type { Admitted, Stores } from '../storage/index.ts'
import type { LimitName } from './limits.ts'

/** Requests a minute of one key, integrator or address; 0 is without limit. */
export type RateLimits = Readonly<Record<LimitName, number>>

const LIMIT_OF = {
  none: 'public',
  'api-key': 'agent',
  'admin-key': 'admin',
  'integration-key': 'partner',
  user: 'agent',
} as const

/** What of a route says which limit it is under. */
type Limited = Readonly<{ limit?: LimitName | 'none'; auth: keyof typeof LIMIT_OF }>

/** The limit that a route's requests count against. */
export function limitOf({ limit, auth }: Limited): LimitName | 'none' {
  return limit ?? LIMIT_OF[auth]
}

/** Whether a request is admitted, and the headers that tell how much is left. */
export type Admission = Readonly<{ admitted: boolean; headers: Readonly<Record<string, string>> }>

/** Counts a request of a key, an integrator or an address. */
export type Limiter = (name: LimitName, who: string) => Promise<Admission>

const WINDOW_SECONDS = 60
const WINDOW_MS = WINDOW_SECONDS * 1000
const MOST_AT_ONCE = 64

/** Limits that all processes of one database share: no sliding minute holds more than the limit. */
export function createLimiter(limits: RateLimits, store: Pick<Stores['rateLimits'], 'admit'>): Limiter {
  // Requests of one bucket that come together are admitted together, each still by the database.
  const admit = batching<Readonly<{ bucket: string; limit: number }>, Admitted>(async (asked) => {
    const [first] = asked
    if (first === undefined) return []
    const { admitted, remaining, resetMs } = await store.admit({ ...first, windowMs: WINDOW_MS, count: asked.length })
    return asked.map((_, i) => ({ admitted: i < admitted ? 1 : 0, remaining, resetMs }))
  }, MOST_AT_ONCE)
  return async (name, who) => {
    const limit = limits[name]
    if (limit === 0) return { admitted: true, headers: {} }
    const bucket = `${name} ${who}`
    const { admitted, remaining, resetMs } = await admit({ bucket, limit }, bucket)
    const seconds = Math.max(1, Math.ceil(resetMs / 1000))
    const headers = {
      'RateLimit-Policy': `"${name}";q=${limit};w=${WINDOW_SECONDS}`,
      RateLimit: `"${name}";r=${remaining};t=${seconds}`,
    }
    if (admitted === 1) return { admitted: true, headers }
    return { admitted: false, headers: { ...headers, 'Retry-After': String(seconds) } }
  }
}
