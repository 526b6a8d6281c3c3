import type { Principal } from '../auth/index.ts'

/** The principal in the form that the policy service takes. */
export function callerOf({ keyId, agentId, scopes }: Principal) {
  return { id: keyId, agentId, scopes }
}
