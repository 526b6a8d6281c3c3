// The published conformance suite of MCP, run as its own process. Its findings are read from what it writes down, where
// nothing is rounded: each check of each scenario, with what became of it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { z } from 'zod'

const SUITE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist',
  'index.js',
)

const Checks = z.array(
  z.object({
    id: z.string(),
    status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
    errorMessage: z.string().optional(),
  }),
)
export type ConformanceCheck = z.output<typeof Checks>[number]

/** What a run found, by scenario. */
export type Findings = Readonly<{
  code: number
  printed: string
  scenarios: ReadonlyMap<string, readonly ConformanceCheck[]>
}>

/** Starts the suite with a command of its own, like `server` or `authorization`. */
export async function startConformance(command: string, args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-conformance-'))
  const child = spawn(process.execPath, [SUITE, command, ...args, '--output-dir', folder], { cwd: folder })
  let printed = ''
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      for (const look of waiting) look()
    })
  const closed = once(child, 'close') as Promise<[number]>
  return {
    /** The first group of a pattern, once it was printed. */
    async says(pattern: RegExp): Promise<string> {
      const found = new Promise<string>((resolve) => {
        const look = () => {
          const text = pattern.exec(printed)?.[1]
          if (text !== undefined) resolve(text)
        }
        waiting.add(look)
        look()
      })
      return Promise.race([found, closed.then(() => assert.fail(`It ended before it said so.\n${printed}`))])
    },
    async findings(): Promise<Findings> {
      try {
        const [code] = await closed
        return { code, printed, scenarios: await scenariosIn(folder) }
      } finally {
        await rm(folder, { recursive: true })
      }
    },
  }
}

async function scenariosIn(folder: string): Promise<ReadonlyMap<string, readonly ConformanceCheck[]>> {
  const scenarios = new Map<string, readonly ConformanceCheck[]>()
  for (const name of await readdir(folder)) {
    const [, scenario] = /^(?:authorization-)?server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name) ?? []
    assert.ok(scenario, name)
    scenarios.set(scenario, Checks.parse(JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8'))))
  }
  return scenarios
}
