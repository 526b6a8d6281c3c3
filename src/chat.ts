import { enableCompileCache } from 'node:module'

// Before anything else is loaded: the types of a module are stripped once, not at every start.
enableCompileCache()
const { run } = await import('./chat/run.ts')
process.exitCode = await run()
