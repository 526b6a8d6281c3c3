import type { KeyType } from '../schema/api-key.ts'
import { PERMISSIONS, type Scope } from '../schema/scope.ts'

/**
 * The scopes of each type of key: what a key has when nothing narrower was asked for, and the most it can have.
 * No agent key can approve for a person or write a policy.
 */
export const SCOPES_OF: Readonly<Record<KeyType, readonly Scope[]>> = {
  AGENT: ['verdicts:create:own', 'transactions:create:own', 'transactions:read:own', 'policies:read:own'],
  USER: [
    'verdicts:create:own',
    'transactions:create:own',
    'transactions:read:own',
    'policies:read:own',
    'policies:write:own',
    'keys:read:own',
    'keys:write:own',
  ],
  INTEGRATION: ['transactions:create:own', 'transactions:read:own', 'policies:read:own'],
  REVIEWER: ['transactions:approve:own', 'transactions:read:own'],
  ADMIN: PERMISSIONS.map((pair) => `${pair}:any` as const),
}
