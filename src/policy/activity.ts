import { toDollars, toMicroUsd } from '../lib/usd.ts'
import type { AgentMetrics, Period } from '../schema/public-agent.ts'
import type { Count, Happening, Sum } from '../storage/index.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Latencies are counted by bounds that lie this factor apart: a quantile is off by no more. */
const STEP = 1.15

/** Protocols of actions that could not be decoded: the caller's words, of which there is no end. */
const NOT_DECODED = 'unknown'

const ENDS: Readonly<Record<string, string>> = {
  execution: 'executed',
  'execution.mined': 'executed',
  cancel: 'cancelled',
  expiry: 'expired',
}

/** What is counted of rows of the audit log. Counts of one kind come once, and in one order, so that writers cannot wait for each other. */
export function countsOf(happenings: readonly Happening[]): readonly Count[] {
  const counts = new Map<string, Count>()
  for (const happening of happenings)
    for (const [kind, name, microUsd = 0n] of namesOf(happening)) {
      const { agentId, at } = happening
      const hour = at - (at % HOUR_MS)
      const key = JSON.stringify([agentId, hour, kind, name])
      const before = counts.get(key)
      const count = (before?.count ?? 0) + 1
      counts.set(key, { agentId, hour, kind, name, count, microUsd: (before?.microUsd ?? 0n) + microUsd })
    }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
}

type Named = readonly [kind: string, name: string, microUsd?: bigint]

function namesOf({ kind, payload, verdict }: Happening): readonly Named[] {
  if (kind === 'submission') return [['submitted', '']]
  const end = ENDS[kind]
  if (end !== undefined) return [[end, '']]
  if (kind !== 'verdict' || verdict === null || isHeld(payload)) return []
  const { outcome, reasonCode, usdNotional, latencyMs, evidence } = verdict
  const protocol = reasonCode === 'decode_failure' ? NOT_DECODED : evidence.decodedAction.protocol
  return [
    [outcome, '', outcome === 'approved' && usdNotional !== null ? toMicroUsd(usdNotional) : 0n],
    ['reason', reasonCode],
    ['protocol', protocol],
    ['latency', String(bucketOf(latencyMs))],
  ]
}

/** Whether a verdict's row is the one by which it was held for a person: the decision has a row of its own. */
function isHeld(payload: Happening['payload']): boolean {
  return typeof payload === 'object' && payload !== null && 'outcome' in payload && payload.outcome === 'pending'
}

/** Number of the bound that a latency lies under. */
function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log(ms) / Math.log(STEP))
}

/** How far back a period goes, and the step of its series, in ms. By whole steps: the one at hand counts as one. */
export function spanOf(period: Period, now: number): Readonly<{ since: number; stepMs: number }> {
  const back = (steps: number, stepMs: number) => ({ since: now - (now % stepMs) - (steps - 1) * stepMs, stepMs })
  switch (period) {
    case '24h':
      return back(24, HOUR_MS)
    case '7d':
      return back(7, DAY_MS)
    case '30d':
      return back(30, DAY_MS)
    case 'all':
      return { since: 0, stepMs: DAY_MS }
  }
}

/** The metrics that sums come to. */
export function metricsOf(period: Period, sums: readonly Sum[], series: readonly Sum[]): AgentMetrics {
  const of = (kind: string) => total(sums, kind)
  const [submitted, approved, rejected] = [of('submitted'), of('approved'), of('rejected')]
  const decided = approved + rejected
  const volume = sums.filter(({ kind }) => kind === 'approved').reduce((sum, { microUsd }) => sum + microUsd, 0n)
  const byTime = Map.groupBy(series, ({ at }) => at)
  return {
    period,
    submitted,
    approved,
    rejected,
    pending: Math.max(0, submitted - decided),
    executed: of('executed'),
    cancelled: of('cancelled'),
    approvalRate: decided === 0 ? null : approved / decided,
    usdVolume: toDollars(volume),
    latencyMs: { p50: quantile(sums, 0.5), p95: quantile(sums, 0.95), p99: quantile(sums, 0.99) },
    byReasonCode: byName(sums, 'reason'),
    byProtocol: byName(sums, 'protocol'),
    series: [...byTime]
      .sort(([a], [b]) => a - b)
      .map(([at, own]) => ({
        t: new Date(at).toISOString(),
        approved: total(own, 'approved'),
        rejected: total(own, 'rejected'),
      })),
  }
}

/** How many there were of a kind. */
export function total(sums: readonly Sum[], wanted: string): number {
  return sums.filter(({ kind }) => kind === wanted).reduce((sum, { count }) => sum + count, 0)
}

function byName(sums: readonly Sum[], wanted: string): Readonly<Record<string, number>> {
  return Object.fromEntries(sums.filter(({ kind }) => kind === wanted).map(({ name, count }) => [name, count]))
}

function quantile(sums: readonly Sum[], share: number): number | null {
  const buckets = sums
    .filter(({ kind }) => kind === 'latency')
    .map(({ name, count }) => ({ bucket: Number(name), count }))
    .sort((a, b) => a.bucket - b.bucket)
  const wanted = share * buckets.reduce((sum, { count }) => sum + count, 0)
  let seen = 0
  for (const { bucket, count } of buckets) {
    seen += count
    if (seen >= wanted) return Math.round(STEP ** bucket)
  }
  return null
}
