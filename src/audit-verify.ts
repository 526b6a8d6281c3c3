import { enableCompileCache } from 'node:module'

// Before anything else is loaded: the types of a module are stripped once, not at every start.
enableCompileCache()
const { verifyAudit } = await import('./process/verify-audit.ts')
process.exitCode = await verifyAudit()
