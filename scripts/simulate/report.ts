import { signedUsd } from '../../src/harness/index.ts'
import { formatDecimal, formatUsd, groupThousands, type MicroUsd } from '../../src/lib/usd.ts'
import { chartOf } from './chart.ts'
import type { Outcome, Run } from './run.ts'
import type { Settings } from './settings.ts'
import type { World } from './world.ts'

/** What is said of a simulation: lines under a head. */
export type Section = Readonly<{ title: string; lines: readonly string[] }>

const REASONS_SHOWN = 8

/** The result in words: what was asked, what was decided, and what came of it. */
export function sectionsOf(outcome: Outcome, settings: Settings, world: World): readonly Section[] {
  return [
    { title: `Simulation of ${settings.skill}`, lines: askedLines(outcome, settings, world) },
    { title: 'Decided', lines: decidedLines(outcome.runs) },
    { title: 'Earned', lines: earnedLines(outcome) },
  ]
}

/** The same as text, with a chart. */
export function reportText(sections: readonly Section[], { samples }: Outcome, width: number): string {
  const text = sections.flatMap(({ title, lines }) => [title, ...lines.map((line) => `  ${line}`), ''])
  return [
    ...text,
    'Worth at the end of each day: * with the skill, . doing nothing',
    ...chartOf(samples, width),
    '',
  ].join('\n')
}

function askedLines(
  { schedule, samples }: Outcome,
  settings: Settings,
  { limits, hasOwnPolicy }: World,
): readonly string[] {
  const { file, prices, feeBps, gasPrice, model, balances } = settings
  const { perTxUsd, outflow24hUsd } = limits.caps ?? {}
  const begins = Object.entries(balances).map(([symbol, amount]) => `${groupThousands(amount)} ${symbol}`)
  return [
    `${samples.length} days, ${samples[0]?.day ?? ''} to ${samples.at(-1)?.day ?? ''}; runs at ${schedule.cron} (${schedule.timeZone})${schedule.isOwn ? '' : ', which is not written in the skill'}`,
    `prices: ${file}, ${prices.rows} rows of ${prices.symbols.join(', ')}; a swap costs ${feeBps / 100} %, gas ${formatDecimal(gasPrice, 9)} gwei`,
    `begins with ${begins.join(', ')}`,
    `policy: ${hasOwnPolicy ? 'of the configuration' : 'a default, as none is configured'}; per transaction ${capText(perTxUsd)}, in 24 hours ${capText(outflow24hUsd)}`,
    `answers: ${model ? 'the configured model' : 'the rule-based stand-in, without any model'}`,
  ]
}

function capText(usd: number | undefined): string {
  return usd === undefined ? 'without limit' : `$${groupThousands(String(usd))}`
}

function decidedLines(runs: readonly Run[]): readonly string[] {
  const cards = runs.flatMap((run) => run.cards)
  const approved = cards.filter(({ outcome }) => outcome === 'approved')
  const filled = approved.filter(({ execution }) => execution?.ok)
  const refused = cards.filter(({ outcome }) => outcome !== 'approved')
  const idle = runs.filter((run) => run.cards.length === 0)
  return [
    `${count(runs.length, 'run')}: ${runs.length - idle.length} proposed something, ${idle.length} did not`,
    `${count(cards.length, 'action')}: ${approved.length} approved, ${filled.length} of them filled; ${refused.length} not approved`,
    ...counted(refused.map(({ reasonCode, reason }) => `${reasonCode}: ${masked(reason)}`)),
    ...counted(
      approved.flatMap(({ execution }) =>
        execution === null
          ? ['approved, and given back: another step of the same action was not']
          : execution.ok
            ? []
            : [`not filled: ${masked(execution.text.replace(/^Dry run: not filled on paper\. /, ''))}`],
      ),
    ),
    ...counted(idle.map(({ said, problem }) => `nothing proposed: ${masked(problem ?? (said || 'no word'))}`)),
  ]
}

/** Each text once, the most frequent first, with how often it was. */
function counted(texts: readonly string[]): readonly string[] {
  const groups = [...Map.groupBy(texts, (text) => text)].map(([text, all]) => ({ text, times: all.length }))
  const shown = groups.toSorted((a, b) => b.times - a.times).slice(0, REASONS_SHOWN)
  const rest = groups.length - shown.length
  return [...shown.map(({ text, times }) => `  ${times} x ${text}`), ...(rest > 0 ? [`  and ${rest} more kinds`] : [])]
}

/** Amounts differ from run to run, and reasons are counted. */
function masked(text: string): string {
  return (
    text
      .split('\n')[0]
      ?.replace(/(?<![\w.])\d[\d,]*(?:\.\d+)?/g, 'N')
      .slice(0, 160) ?? ''
  )
}

function earnedLines({ end }: Outcome): readonly string[] {
  const { start, worth, hold, origins, holdings } = end
  const sum = (values: readonly MicroUsd[]) => values.reduce((total, one) => total + one, 0n)
  const held = holdings.map(
    ({ amount, decimals, symbol, worth: own }) =>
      `${groupThousands(formatDecimal(amount, decimals))} ${symbol}${own === undefined ? '' : ` (${signedUsd(own, false)})`}`,
  )
  return [
    `at the start ${signedUsd(start, false)}, at the end ${signedUsd(worth, false)}: ${signedUsd(worth - start)} (${percent(worth - start, start)})`,
    `doing nothing ${signedUsd(hold, false)}: ${signedUsd(hold - start)} (${percent(hold - start, start)})`,
    `the skill, against doing nothing: ${signedUsd(worth - hold)}`,
    `fees ${formatUsd(sum(origins.map(({ fees }) => fees)))}, gas ${formatUsd(sum(origins.map(({ gas }) => gas)))}, both within`,
    `holds ${held.join(', ')}`,
  ]
}

function percent(part: MicroUsd, whole: MicroUsd): string {
  return whole === 0n ? '0.00 %' : `${part > 0n ? '+' : ''}${(Number((part * 100_000n) / whole) / 1_000).toFixed(2)} %`
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}
