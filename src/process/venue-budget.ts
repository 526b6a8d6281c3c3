import type { SpendWeight } from '../chain/index.ts'
import type { Storage } from '../storage/index.ts'

/**
 * How much may be asked of a venue in a minute, shared by all processes of the database. A store that does not answer allows
 * nothing: what is asked then is not had, and nothing is decided by it.
 */
export function sharedBudget(storage: Storage, name: string, weightPerMinute: number): SpendWeight {
  return (weight) =>
    storage.transaction(({ venueBudgets }) => venueBudgets.spend(name, weight, weightPerMinute)).catch(() => false)
}
