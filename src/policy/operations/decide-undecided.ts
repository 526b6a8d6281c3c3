import { messageOf } from '../../lib/errors.ts'
import { decide } from '../decide.ts'
import { LEASE_MS } from '../submission.ts'
import type { PolicyWork } from '../work.ts'

const AT_ONCE = 100

/**
 * Decides what nobody is at any more, oldest first: what a crash left behind, of this process or of another. One that
 * cannot be decided holds up no other.
 */
export async function decideUndecided(work: PolicyWork): Promise<number> {
  const left = await work.storage.stores.undecided.takeUp(AT_ONCE, LEASE_MS)
  const outcomes = await Promise.allSettled(left.map((transaction) => decide(work, transaction)))
  for (const [i, outcome] of outcomes.entries())
    if (outcome.status === 'rejected')
      work.log.error({ requestHash: left[i]?.requestHash, error: messageOf(outcome.reason) }, 'Still undecided.')
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}
