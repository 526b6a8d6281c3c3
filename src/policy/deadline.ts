/** A deadline in Unix seconds; null where it is so late that there is none. */
export function deadlineOf(seconds: bigint): number | null {
  return seconds > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(seconds)
}

/** The earlier of two deadlines. */
export function earlier(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b
  return Math.min(a, b)
}
