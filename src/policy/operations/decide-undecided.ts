import { decide } from '../decide.ts'
import type { PolicyDeps } from '../operation.ts'

const AT_ONCE = 100

/** Decides what a crash left undecided, oldest first. */
export async function decideUndecided(deps: PolicyDeps): Promise<number> {
  const left = await deps.storage.stores.transactions.undecided(AT_ONCE)
  for (const transaction of left) await decide(deps, transaction)
  return left.length
}
