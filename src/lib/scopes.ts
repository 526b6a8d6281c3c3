/**
 * Whether at least one of the needed scopes is held; `<resource>:<action>:any` implies `:own` (contract section 3).
 * Nothing needed is held by nobody: what needs no scope does not ask.
 */
export function holds(scopes: readonly string[], needed: readonly string[]): boolean {
  return needed.some((scope) => scopes.includes(scope) || scopes.includes(scope.replace(/:own$/, ':any')))
}
