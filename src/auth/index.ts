export { type Agents, createAgents } from './agents.ts'
export { type Auth, createAuth, type KeyRequest } from './auth.ts'
export { createIntegrators, type Integrators } from './integrators.ts'
export type { Principal } from './principal.ts'
