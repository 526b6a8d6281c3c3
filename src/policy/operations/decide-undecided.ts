import { messageOf } from '../../lib/errors.ts'
import { decide } from '../decide.ts'
import type { PolicyDeps } from '../operation.ts'

const AT_ONCE = 100

/** Decides what a crash left undecided, oldest first. One that cannot be decided holds up no other. */
export async function decideUndecided(deps: PolicyDeps): Promise<number> {
  const left = await deps.storage.stores.transactions.undecided(AT_ONCE)
  let decided = 0
  for (const transaction of left) {
    try {
      await decide(deps, transaction)
      decided += 1
    } catch (fault) {
      deps.log.error({ requestHash: transaction.requestHash, error: messageOf(fault) }, 'Still undecided.')
    }
  }
  return decided
}
