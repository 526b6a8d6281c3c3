import { Gauge, type Registry } from 'prom-client'
import type { AccountReport } from '../harness/index.ts'

type Read = (report: AccountReport) => number

/** What is told of each account of a channel: its name and what it is, and how it is read. */
const GAUGES: readonly Readonly<[name: string, help: string, read: Read]>[] = [
  ['channel_up', 'Whether the account is open and its platform answers.', ({ state }) => (state.ok ? 1 : 0)],
  [
    'channel_heard_seconds',
    "Age of the platform's last sign of life.",
    ({ state }) => (state.lastHeardMs ?? Number.NaN) / 1_000,
  ],
  ['channel_received', 'Messages taken since the start.', ({ received }) => received],
  ['channel_turned_away', 'Messages turned away because too many waited.', ({ turnedAway }) => turnedAway],
  ['channel_sent', 'Messages that arrived.', ({ outbox }) => outbox.sent],
  ['channel_retried', 'Sends that were tried again.', ({ outbox }) => outbox.retried],
  ['channel_repeats', 'Messages that were marked as possible repeats.', ({ outbox }) => outbox.repeats],
  ['channel_refused', 'Messages that a platform refused for good.', ({ outbox }) => outbox.refused],
]

/** Tells of each account of the channels, when somebody looks. */
export function watchChannels(reports: () => readonly AccountReport[], registers: Registry[]): void {
  for (const [name, help, read] of GAUGES)
    new Gauge({
      name: `countersign_${name}`,
      help,
      labelNames: ['channel', 'account'],
      registers,
      collect() {
        for (const report of reports()) this.set({ channel: report.channel, account: report.account }, read(report))
      },
    })
}
