// Everything about the code that can be said without running it: all checks at once, then one line for each.
import { spawn } from 'node:child_process'
import { performance } from 'node:perf_hooks'

/** A check: its name in the table, and its command. */
type Check = Readonly<{ name: string; command: readonly [string, ...string[]] }>
type Outcome = Readonly<{ name: string; ok: boolean; seconds: number; output: string }>

const CHECKS: readonly Check[] = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'format', command: ['biome', 'check', '.'] },
  { name: 'lint', command: ['oxlint'] },
  { name: 'boundaries', command: ['node', 'scripts/boundaries.ts'] },
  { name: 'unused', command: ['knip'] },
  { name: 'registries', command: ['node', 'scripts/registries.ts', '--check'] },
]

async function run({ name, command: [program, ...args] }: Check): Promise<Outcome> {
  const from = performance.now()
  return await new Promise((resolve) => {
    const chunks: Buffer[] = []
    const finish = (ok: boolean, note = '') =>
      resolve({ name, ok, seconds: (performance.now() - from) / 1000, output: Buffer.concat(chunks).toString() + note })
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', (error) => finish(false, `${program}: ${error.message}\n`))
    child.on('close', (code) => finish(code === 0))
  })
}

const from = performance.now()
const outcomes = await Promise.all(CHECKS.map(run))
for (const { name, output } of outcomes.filter((o) => !o.ok)) console.log(`\n── ${name}\n${output.trimEnd()}`)
console.log()
for (const { name, ok, seconds } of outcomes)
  console.log(`${ok ? '✔' : '✖'} ${name.padEnd(12)}${seconds.toFixed(1).padStart(5)} s`)
const failed = outcomes.filter((o) => !o.ok).length
console.log(
  `${failed === 0 ? 'all checks passed' : `${failed} of ${outcomes.length} checks failed`} in ${((performance.now() - from) / 1000).toFixed(1)} s`,
)
process.exitCode = failed === 0 ? 0 : 1
