import type { Scope } from '../../schema/scope.ts'

/** What a program that connects by OAuth can be allowed to do: what the MCP tools need, and no more. */
export const OAUTH_SCOPES = [
  'verdicts:create:own',
  'transactions:create:own',
  'transactions:read:own',
  'policies:read:own',
] as const satisfies readonly Scope[]

/** What is asked of a person when the program names no scopes. */
export const USUAL_SCOPES = ['verdicts:create:own', 'transactions:read:own', 'policies:read:own'] as const

/** The scopes of a text that are ours. */
export function ownScopes(scopes: Iterable<string>): readonly Scope[] {
  const named = new Set(scopes)
  return OAUTH_SCOPES.filter((scope) => named.has(scope))
}
