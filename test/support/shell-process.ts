// Runs command lines through the bash tool's runner, in a process that holds a key as a real one does.
import { createShell } from '../../src/harness/shell.ts'

const { settings, lines } = JSON.parse(process.argv[2] ?? '') as {
  settings: Parameters<typeof createShell>[0]
  lines: string[]
}
const shell = createShell(settings)
for (const line of lines) {
  const result = await shell.run(line.replaceAll('PID', String(process.pid)), new AbortController().signal)
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
