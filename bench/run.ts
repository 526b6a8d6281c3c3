// npm run bench: runs the benchmarks, or those whose heading holds a given word, and writes bench/results.md.
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { backtesting } from './backtest.ts'
import { chatting } from './chat.ts'
import { deciding } from './decide.ts'
import { remembering } from './history.ts'
import type { Bench, Row } from './measure.ts'
import { publishing } from './metrics.ts'
import { starting } from './start.ts'
import { submitting } from './submit.ts'
import { turning } from './turn.ts'

const BENCHES: readonly Bench[] = [
  deciding,
  backtesting,
  starting,
  turning,
  chatting,
  submitting,
  remembering,
  publishing,
]

const wanted = process.argv[2]?.toLowerCase()
const chosen = BENCHES.filter(({ title }) => wanted === undefined || title.toLowerCase().includes(wanted))
if (chosen.length === 0) {
  console.error(`No benchmark is called so. There are:\n${BENCHES.map(({ title }) => `  ${title}`).join('\n')}`)
  process.exitCode = 1
}
const sections: string[] = []
for (const { title, about, run } of chosen) {
  console.log(`${title} …`)
  const rows = await run()
  for (const { what, median, p95 } of rows)
    console.log(`  ${what}: ${median}${p95 === undefined ? '' : ` (p95 ${p95})`}`)
  sections.push(section(title, about, rows))
}
// A part of the results would look like all of them.
if (wanted === undefined) writeFileSync(join(import.meta.dirname, 'results.md'), [heading(), ...sections].join('\n'))

function heading(): string {
  const day = new Date().toISOString().slice(0, 10)
  const [cpu] = cpus()
  const machine = `${cpu?.model.trim() ?? 'unknown CPU'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`
  return `# Results

Written by \`npm run bench\` on ${day}: ${machine}, ${process.platform} ${process.arch}, Node ${process.version}. Medians of one run; other
machines differ, their ratios less.
`
}

function section(title: string, about: string, rows: readonly Row[]): string {
  const lines = rows.map(({ what, median, p95 = '–' }) => `| ${what} | ${median} | ${p95} |`)
  return `## ${title}\n\n${about}\n\n| | median | p95 |\n|---|---|---|\n${lines.join('\n')}\n`
}
