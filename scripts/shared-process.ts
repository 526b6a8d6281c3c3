// The test files that share one process, as one file for the runner.
import { join } from 'node:path'
import { after } from 'node:test'
import { testFiles } from './test.ts'

/** Time for what was closed in the last test to be gone. */
const GRACE_MS = 2000
/** What keeps a process alive and belongs to a test that did not close it. */
const LEFT_OPEN = ['TCPServerWrap', 'PipeServerWrap', 'ProcessWrap', 'Timeout']

after(() => {
  setTimeout(() => {
    const left = process.getActiveResourcesInfo().filter((name) => LEFT_OPEN.includes(name))
    console.error(`A test left something open: ${left.join(', ')}. Close it in the test's own after().`)
    process.exit(1)
  }, GRACE_MS).unref()
})

const root = join(import.meta.dirname, '..')
for (const file of testFiles(root).shared) await import(join(root, file))
