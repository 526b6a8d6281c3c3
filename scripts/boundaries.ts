// Checks the import rules of .dependency-cruiser.cjs over src, and that no source file was left unread.
import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser'

/** One import that a rule forbids. For a rule about a file alone, `to` is that file. */
export type Violation = Readonly<{ rule: string; from: string; to: string }>

export type Boundaries = Readonly<{
  violations: readonly Violation[]
  /** Source files that the tool did not read: it says "no violations" of those too. */
  unread: readonly string[]
  read: number
}>

type Config = Readonly<{
  forbidden: readonly Readonly<{ name: string; comment?: string }>[]
  options: ICruiseOptions & Readonly<{ enhancedResolveOptions: object }>
}>

const config = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as Config

/** Name of every rule, with the reason for it. */
export const RULES: ReadonlyMap<string, string> = new Map(config.forbidden.map((r) => [r.name, r.comment ?? '']))

/** Reads every import under `root`/src. */
export async function checkBoundaries(root: string): Promise<Boundaries> {
  const { enhancedResolveOptions, ...options } = config.options
  const reply = await cruise(
    ['src'],
    { ...options, baseDir: root, validate: true, ruleSet: { forbidden: [...config.forbidden] } } as ICruiseOptions,
    enhancedResolveOptions,
  )
  const { modules, summary } = reply.output as ICruiseResult
  const seen = new Set(modules.map((m) => m.source))
  const sources = globSync('src/**/*.ts', { cwd: root }).sort()
  return {
    violations: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
    unread: sources.filter((file) => !seen.has(file)),
    read: sources.filter((file) => seen.has(file)).length,
  }
}

if (import.meta.main) {
  const { violations, unread, read } = await checkBoundaries(process.cwd())
  for (const { rule, from, to } of violations) console.error(`${rule}: ${from} → ${to}\n  ${RULES.get(rule)}`)
  for (const file of unread) console.error(`not read: ${file}`)
  console.log(`${read} files read, ${violations.length} violations`)
  process.exitCode = violations.length + unread.length > 0 || read === 0 ? 1 : 0
}
