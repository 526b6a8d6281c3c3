import type { Gate } from '../harness/index.ts'
import { messageOf } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { PolicyService } from '../policy/index.ts'

const EVERY_MS = 5_000

type Parts = Readonly<{ policy: PolicyService; gate: Gate | undefined; log: Log }>

/**
 * What has to happen now and then: approvals that ran out end, what a crash left undecided is decided, and signed
 * transactions are followed. One round at a time; one that fails is said and tried again.
 */
export function startUpkeep({ policy, gate, log }: Parts): Readonly<{ stop(): Promise<void> }> {
  let round: Promise<void> = Promise.resolve()
  let running = false
  const timer = setInterval(() => {
    if (running) return
    running = true
    round = tend().finally(() => {
      running = false
    })
  }, EVERY_MS)
  timer.unref()

  async function tend(): Promise<void> {
    try {
      await policy.expireApprovals()
      await policy.decideUndecided()
      await gate?.recover()
    } catch (thrown) {
      log.warn({ error: messageOf(thrown) }, 'Upkeep failed; it is tried again.')
    }
  }

  return {
    async stop() {
      clearInterval(timer)
      await round
    },
  }
}
