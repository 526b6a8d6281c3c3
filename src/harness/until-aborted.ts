import { CountersignError } from '../lib/errors.ts'

/**
 * A promise, or the abort of a signal if that comes first. What the promise does afterwards is no longer heard.
 *
 * @throws CountersignError `unavailable` when the signal was first
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(new CountersignError('unavailable', 'The turn was stopped.'))
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
    aborted.promise.catch(() => undefined)
    promise.catch(() => undefined)
  }
}
