import { type Spent, spendWithin } from '../lib/sliding-weight.ts'

/** Whether so much may be asked of a venue now; where it may, it counts as asked. */
export type SpendWeight = (weight: number) => Promise<boolean>

/** A budget of one process, in weight a minute. */
export function ownBudget(weightPerMinute: number, now: () => number): SpendWeight {
  let spent: Spent = []
  return async (weight) => {
    const after = spendWithin(spent, weight, weightPerMinute, now())
    if (after !== undefined) spent = after
    return after !== undefined
  }
}
