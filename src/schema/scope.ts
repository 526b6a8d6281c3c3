import { z } from 'zod'

/** What may be done with each resource (contract section 3). */
const ACTIONS = {
  transactions: ['create', 'read', 'approve'],
  verdicts: ['create'],
  policies: ['read', 'write'],
  agents: ['read', 'write'],
  keys: ['read', 'write'],
  integrators: ['read', 'write'],
} as const

type Actions = typeof ACTIONS
type Pair = { [resource in keyof Actions]: `${resource}:${Actions[resource][number]}` }[keyof Actions]

/** Every `<resource>:<action>` there is. */
export const PERMISSIONS = Object.entries(ACTIONS).flatMap(([resource, actions]) =>
  actions.map((action) => `${resource}:${action}` as Pair),
)

/** A right of a key: `<resource>:<action>:<own|any>` (specification 2.12, contract section 3). `any` implies `own`. */
export const Scope = z
  .enum(PERMISSIONS.flatMap((pair) => [`${pair}:own` as const, `${pair}:any` as const]))
  .meta({ id: 'Scope' })
export type Scope = z.output<typeof Scope>
