// Runs the tests. Without arguments all of them: the fast ones share one process, which is ten times faster than a
// process each; those that start chains, databases or the product itself get a process of their own.
// With arguments: those files, or whatever else `node --test` takes. With TEST_VOLUME=full generated tests run at their full
// volume, which takes hours for all of them: name the files.
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'

/** Folders of test/ whose files need a process of their own. */
export const OWN_PROCESS: readonly string[] = [
  'differential',
  'end-to-end',
  'conformance',
  'properties',
  'local-chain',
  'spec',
  'examples',
]

/** A test that never ends must not hold up whoever waits for it. */
const LONGEST_RUN_MS = 15 * 60_000

/** All test files, by how they are run. */
export function testFiles(root: string): Readonly<{ shared: readonly string[]; own: readonly string[] }> {
  const files = globSync('test/**/*.test.ts', { cwd: root }).sort()
  const own = files.filter((file) => OWN_PROCESS.includes(file.split('/')[1] ?? ''))
  return { own, shared: files.filter((file) => !own.includes(file)) }
}

if (import.meta.main) {
  const given = process.argv.slice(2)
  const files = given.length > 0 ? given : [join('scripts', 'shared-process.ts'), ...testFiles(process.cwd()).own]
  const timeoutMs = process.env['TEST_VOLUME'] === 'full' ? LONGEST_RUN_MS : 120_000
  const options = ['--test', '--test-concurrency=2', `--test-timeout=${timeoutMs}`]
  const run = spawnSync(process.execPath, [...options, ...files], { stdio: 'inherit', timeout: LONGEST_RUN_MS })
  process.exitCode = run.status ?? 1
}
