import { CountersignError } from '../lib/errors.ts'

/** What was read: when it was asked for (ms), and whether that was for somebody else. */
export type Kept<T> = (signal?: AbortSignal) => Promise<Readonly<{ value: T; at: number; cached: boolean }>>

/**
 * What was read is had for so long; who asks meanwhile waits for the same answer, and may stop waiting without the others.
 * What failed is asked for again.
 */
export function kept<T>(now: () => number, maxAgeMs: number, read: () => Promise<T>): Kept<T> {
  let latest: Readonly<{ at: number; value: Promise<T> }> | undefined
  return async (signal) => {
    const age = latest === undefined ? undefined : now() - latest.at
    // A clock that was set back makes nothing young.
    const known = age !== undefined && age >= 0 && age < maxAgeMs ? latest : undefined
    const asked = known ?? { at: now(), value: read() }
    if (known === undefined) {
      latest = asked
      asked.value.catch(() => {
        if (latest === asked) latest = undefined
      })
    }
    return { value: await waited(asked.value, signal), at: asked.at, cached: known !== undefined }
  }
}

async function waited<T>(value: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise: left, reject } = Promise.withResolvers<never>()
  const leave = () => reject(new CountersignError('unavailable', 'The answer was not waited for.'))
  if (signal?.aborted) leave()
  signal?.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([value, left])
  } finally {
    signal?.removeEventListener('abort', leave)
  }
}
