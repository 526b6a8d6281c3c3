import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Metrics } from '../api/index.ts'
import type { AccountReport } from '../harness/index.ts'
import type { DecisionObserver } from '../policy/index.ts'
import type { Storage } from '../storage/index.ts'
import { watchChannels } from './channel-metrics.ts'

/** What the process counts, and who tells it of decisions. */
export type ProcessMetrics = Metrics &
  Readonly<{
    decided: DecisionObserver
    watch(storage: Storage): void
    watchChannels(reports: () => readonly AccountReport[]): void
  }>

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Prometheus metrics: requests by operation and status, verdicts by outcome and reason, how long they took, how old their
 * facts were, what is held, and what waits for a decision. No name of an agent, a wallet or a key is a label.
 */
export function createMetrics(): ProcessMetrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'countersign_http_request_seconds',
    help: 'Answered requests and how long they took.',
    labelNames: ['operation', 'method', 'status'],
    buckets: SECONDS,
    registers,
  })
  const verdicts = new Counter({
    name: 'countersign_verdicts_total',
    help: 'Verdicts by outcome and reason.',
    labelNames: ['outcome', 'reason'],
    registers,
  })
  const latency = new Histogram({
    name: 'countersign_verdict_seconds',
    help: 'From the beginning of a decision to its verdict.',
    buckets: SECONDS,
    registers,
  })
  const ages = new Gauge({
    name: 'countersign_source_age_seconds',
    help: 'Age of the newest answer of each source of facts when it was used.',
    labelNames: ['source'],
    registers,
  })
  const unavailable = new Counter({
    name: 'countersign_source_unavailable_total',
    help: 'Facts that a source did not give.',
    labelNames: ['source'],
    registers,
  })
  return {
    request: ({ operationId, method, status, seconds }) =>
      requests.observe({ operation: operationId, method, status }, seconds),
    decided({ outcome, reasonCode, latencyMs, dataFreshness, timestamp }) {
      verdicts.inc({ outcome, reason: reasonCode })
      latency.observe(latencyMs / 1000)
      for (const { source, status, observedAt } of dataFreshness.sources) {
        if (status === 'unavailable' || observedAt === null) unavailable.inc({ source })
        else ages.set({ source }, Math.max(0, (Date.parse(timestamp) - Date.parse(observedAt)) / 1000))
      }
    },
    watch: (storage) => watch(storage, registers),
    watchChannels: (reports) => watchChannels(reports, registers),
    text: () => registry.metrics(),
  }
}

/** What the store knows, asked when somebody looks. A store that does not answer is no number. */
function watch({ stores }: Storage, registers: Registry[]): void {
  gauge('countersign_undecided', 'Submissions without a verdict.', registers, () => stores.undecided.count())
  const held = { name: 'countersign_holds', help: 'Approvals that hold a part of a limit.' }
  gauge(held.name, held.help, registers, async () => (await stores.holds.inForce()).count)
  gauge('countersign_held_usd', 'US dollars that are held.', registers, async () => (await stores.holds.inForce()).usd)
}

function gauge(name: string, help: string, registers: Registry[], read: () => Promise<number>): void {
  new Gauge({
    name,
    help,
    registers,
    async collect() {
      this.set(await read().catch(() => Number.NaN))
    },
  })
}
