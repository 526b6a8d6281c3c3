/** One line of the results: what was measured, the median, and the slowest twentieth where it tells something. */
export type Row = Readonly<{ what: string; median: string; p95?: string }>

/** A benchmark: its heading, what it does in a sentence, and its lines. */
export type Bench = Readonly<{ title: string; about: string; run(): Promise<readonly Row[]> }>

/** The value that a share of all values does not exceed: 0.5 is the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** A time in milliseconds as people read it. */
export function duration(ms: number): string {
  if (ms < 1) return `${(ms * 1000).toPrecision(3)} µs`
  return ms < 1000 ? `${ms.toPrecision(3)} ms` : `${(ms / 1000).toPrecision(3)} s`
}

/** A size in bytes as people read it. */
export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}
