import type { Principal } from '../auth/index.ts'

/** The principal in the form that the policy service takes. */
export function callerOf({ keyId, agentId, appId, scopes, user }: Principal) {
  return {
    id: keyId,
    agentId,
    ...(appId !== undefined && { appId }),
    scopes,
    ...(user && { wallet: { address: user.address, chainId: user.chainId } }),
  }
}
