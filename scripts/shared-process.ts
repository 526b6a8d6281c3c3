// The test files that share one process, as one file for the runner.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { testFiles } from './test.ts'

/** Time for what was closed in the last test to be gone, on a machine that is busy. It is only waited out by what stays. */
const GRACE_MS = 20_000
/** What keeps a process alive and belongs to a test that did not close it. */
const LEFT_OPEN = ['TCPServerWrap', 'PipeServerWrap', 'ProcessWrap', 'Timeout']

const root = join(import.meta.dirname, '..')
const loaded = Promise.withResolvers<readonly string[]>()

// The first of all tests: the runner, which takes a moment without tests for the end, then waits for the slowest file.
test('every file loads', async () => assert.deepEqual(await loaded.promise, []))

after(() => {
  setTimeout(() => {
    const left = process.getActiveResourcesInfo().filter((name) => LEFT_OPEN.includes(name))
    console.error(`A test left something open: ${left.join(', ')}. Close it in the test's own after().`)
    process.exit(1)
  }, GRACE_MS).unref()
})

const broken: string[] = []
for (const file of testFiles(root).shared) {
  try {
    await import(join(root, file))
  } catch (error) {
    broken.push(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
loaded.resolve(broken)
