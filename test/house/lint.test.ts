import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

/** A fault of each kind that the linter is here for, by the file it stands in. */
const FAULTS: Readonly<Record<string, readonly [rule: string, text: string]>> = {
  'src/default.ts': ['import(no-default-export)', 'export default 1'],
  'src/prints.ts': ['eslint(no-console)', "console.log('x')"],
  'src/environment.ts': ['node(no-process-env)', "export const home = process.env['HOME']"],
  'src/any.ts': ['typescript(no-explicit-any)', 'export function f(x: any): void { void x }'],
  'src/bang.ts': ['typescript(no-non-null-assertion)', 'export function f(x?: string): string { return x! }'],
  'src/ignored.ts': ['typescript(ban-ts-comment)', '// @ts-ignore\nexport const n: number = 1'],
  'src/long-file.ts': ['eslint(max-lines)', '// line\n'.repeat(301)],
  'src/long-function.ts': [
    'eslint(max-lines-per-function)',
    `export function f(): void {\n${'  void 0\n'.repeat(61)}}`,
  ],
  'src/notKebab.ts': ['unicorn(filename-case)', 'export const x = 1'],
  'src/floats.ts': ['typescript(no-floating-promises)', 'export function f(): void { Promise.resolve(1) }'],
  'src/misused.ts': [
    'typescript(no-misused-promises)',
    'export function f(p: Promise<boolean>): number { return p ? 1 : 2 }',
  ],
  'src/unsafe.ts': [
    'typescript(no-unsafe-return)',
    'export function f(text: string): number { return JSON.parse(text) }',
  ],
  'src/unsafe-argument.ts': ['typescript(no-unsafe-argument)', "export const n = Number.parseInt(JSON.parse('1'))"],
  'src/forgets-a-case.ts': [
    'typescript(switch-exhaustiveness-check)',
    "export function f(x: 'a' | 'b'): number {\n  switch (x) {\n    case 'a':\n      return 1\n  }\n  return 2\n}",
  ],
  'src/throws-text.ts': ['typescript(only-throw-error)', "export function f(): never { throw 'text' }"],
  'test/forgets-to-wait.test.ts': [
    'typescript(no-floating-promises)',
    'export function f(): void { Promise.resolve(1) }',
  ],
}

/** What the same rules leave alone. */
const FINE: Readonly<Record<string, string>> = {
  'src/main.ts': "console.log('ready')",
  'src/config.ts': "export const home = process.env['HOME']",
  'test/fine.test.ts': "import { it } from 'node:test'\nit('is fine', async () => { await Promise.resolve(1) })",
}

describe('lint', () => {
  it('finds a fault of each kind, and leaves alone what is allowed', () => {
    const found = lint({
      ...Object.fromEntries(Object.entries(FAULTS).map(([file, [, text]]) => [file, text])),
      ...FINE,
    })
    const missed = Object.entries(FAULTS).filter(
      ([file, [rule]]) => !found.some((f) => f.file === file && f.rule === rule),
    )
    assert.deepEqual(
      missed.map(([file, [rule]]) => `${file}: ${rule}`),
      [],
      JSON.stringify(found, null, 1),
    )
    assert.deepEqual(
      found.filter((f) => f.file in FINE),
      [],
    )
  })
})

function lint(files: Readonly<Record<string, string>>): readonly Readonly<{ file: string; rule: string }>[] {
  const folder = mkdtempSync(join(tmpdir(), 'lint-'))
  try {
    for (const config of ['.oxlintrc.json', 'tsconfig.json', 'package.json'])
      copyFileSync(join(ROOT, config), join(folder, config))
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), `${text}\n`)
    }
    const run = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['--format', 'json'], {
      cwd: folder,
      encoding: 'utf8',
    })
    const report = JSON.parse(run.stdout) as { diagnostics: readonly { filename: string; code: string }[] }
    return report.diagnostics.map(({ filename, code }) => ({ file: filename, rule: code }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
