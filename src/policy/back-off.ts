import { setTimeout as sleep } from 'node:timers/promises'
import { CountersignError } from '../lib/errors.ts'
import type { Told } from './decision-port.ts'

/** How long a service is asked again: the first pause and the longest one in ms, and how often in all. */
export type BackOffLimits = Readonly<{ firstMs: number; longestMs: number; attempts: number }>

/** The pauses between questions about one action. */
export type BackOff = Readonly<{
  /** A trouble: the person is told of the first one, and what goes on then. @throws CountersignError `unavailable` after the last attempt */
  trouble(why: string, atLeastMs?: number): Promise<void>
  /** Nothing is known yet, which is no trouble. @throws CountersignError `unavailable` after the last attempt */
  wait(): Promise<void>
  /** The service has answered. */
  answered(): void
}>

/** Pauses that double up to the longest. They are counted over troubles and waiting alike, so that they end. */
export function backOff(limits: BackOffLimits, signal: AbortSignal, told: Told = () => undefined): BackOff {
  let [left, pause, isTroubled] = [limits.attempts, limits.firstMs, false]
  async function next(atLeastMs: number, why: string): Promise<void> {
    left -= 1
    if (left <= 0 || signal.aborted)
      throw new CountersignError(
        'unavailable',
        `The policy service ${why}. The action stays paused: nothing was executed. Ask for it again later.`,
      )
    const ms = Math.min(Math.max(pause, atLeastMs), Math.max(limits.longestMs, pause))
    pause = Math.min(pause * 2, limits.longestMs)
    await sleep(ms, undefined, { signal }).catch(() => undefined)
  }
  return {
    async trouble(why, atLeastMs = 0) {
      if (!isTroubled) told(`The policy service ${why}. The action is paused, and the service is asked again.`)
      isTroubled = true
      await next(atLeastMs, why)
    },
    wait: () => next(0, 'has not decided in time'),
    answered() {
      if (isTroubled) told('The policy service answers again; the action goes on.')
      isTroubled = false
    },
  }
}
