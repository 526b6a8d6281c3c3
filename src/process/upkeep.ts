import type { Gate } from '../harness/index.ts'
import { messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { PolicyService } from '../policy/index.ts'
import type { OrderFollowing } from './order-following.ts'

const EVERY_MS = 5_000

type Parts = Readonly<{
  policy: Pick<PolicyService, 'expireApprovals' | 'decideUndecided' | 'countActivity'>
  /** Forgets what has had its time: keys of requests, admissions of rate limits. */
  forget?: (() => Promise<unknown>) | undefined
  /** Asks venues how open orders stand. */
  orders?: OrderFollowing | undefined
  /** Notes for the day what the paper portfolio is worth. */
  mark?: (() => Promise<unknown>) | undefined
  gate: Pick<Gate, 'recover'> | undefined
  log: Log
  everyMs?: number
}>

/** Work that goes on beside what is asked for. `stop` waits for the rounds at hand. */
export type Upkeep = Readonly<{ stop(): Promise<void> }>

/**
 * What has to happen at the start, and now and then: approvals that ran out end, what a crash left undecided is decided,
 * and signed transactions are followed, which takes as long as the chain does and holds up nothing else. A round that
 * fails is said and tried again.
 */
export function startUpkeep({ policy, gate, forget, orders, mark, log, everyMs = EVERY_MS }: Parts): Upkeep {
  const chores = [
    () => policy.expireApprovals(),
    () => policy.decideUndecided(),
    () => policy.countActivity(),
    () => forget?.(),
    () => orders?.follow(),
    () => mark?.(),
    () => gate?.recover(),
  ]
  const rounds = chores.map((chore) => repeat(chore, log, everyMs))
  return {
    async stop() {
      await Promise.all(rounds.map(({ stop }) => stop()))
      await orders?.stop()
    },
  }
}

const RARELY_MS = 600_000

/** Work that is done at most every ten minutes, however often it is asked for. */
export function everyMinutes(work: () => Promise<unknown>): () => Promise<unknown> {
  let last = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - last < RARELY_MS) return
    last = performance.now()
    await work()
  }
}

/** One round at a time, the first at once. */
function repeat(chore: () => Promise<unknown> | undefined, log: Log, everyMs: number): Upkeep {
  let round: Promise<void> | undefined
  const begin = () => {
    round ??= tend(chore, log).finally(() => {
      round = undefined
    })
  }
  begin()
  const timer = setInterval(begin, everyMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await round
    },
  }
}

async function tend(chore: () => Promise<unknown> | undefined, log: Log): Promise<void> {
  try {
    await chore()
  } catch (thrown) {
    log.warn({ error: messageOf(thrown) }, 'Upkeep failed; it is tried again.')
  }
}
