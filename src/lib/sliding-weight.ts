/** What was spent in the seconds of the last minute: the second since 1970, and the weight. */
export type Spent = readonly (readonly [second: number, weight: number])[]

const MINUTE_MS = 60_000
const SECOND_MS = 1_000

/**
 * What is spent with so much more, or nothing where no minute may hold that much. A second counts until all of it is a
 * minute old, so that every minute, wherever it begins, holds at most the limit. `now` in milliseconds.
 */
export function spendWithin(spent: Spent, weight: number, limit: number, now: number): Spent | undefined {
  const recent = spent.filter(([second]) => (second + 1) * SECOND_MS > now - MINUTE_MS)
  const sum = recent.reduce((total, [, one]) => total + one, 0)
  if (sum + weight > limit) return undefined
  const second = Math.floor(now / SECOND_MS)
  const before = recent.find(([at]) => at === second)?.[1] ?? 0
  return [...recent.filter(([at]) => at !== second), [second, before + weight]]
}
