import type { Address } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { Policy } from '../../schema/policy.ts'
import type { PolicyRecord } from '../../schema/policy-record.ts'
import type { PolicyDeps } from '../operation.ts'
import { hasProved, type Principal, requireScope } from '../principal.ts'
import { policyRecordOf } from '../record.ts'

/** A policy to write, on top of `ifVersion` where one is named. */
export type OwnPolicyWrite = Readonly<{ wallet: Address; policy: Policy; ifVersion: number | undefined }>

const READ = ['policies:read:own', 'policies:write:own']
const WRITE = ['policies:write:own']

/** The current policy of a wallet, for whose it is and for the agents that act for it. */
export async function readOwnPolicy(
  { storage }: PolicyDeps,
  principal: Principal,
  wallet: Address,
): Promise<PolicyRecord> {
  requireScope(principal, READ)
  const isOwn =
    principal.wallet?.address === wallet ||
    holdsAny(principal, READ) ||
    (principal.agentId !== null &&
      (await storage.stores.wallets.ofAgent(principal.agentId)).some(({ address }) => address === wallet))
  if (!isOwn) throw new CountersignError('not_owner', 'You do not act for this wallet.')
  const current = await storage.stores.policies.current(wallet)
  if (current === undefined) throw new CountersignError('not_found', 'This wallet has no policy.')
  return policyRecordOf(current)
}

/**
 * Makes sure that a wallet's policy is the principal's to write. It holds on every chain: whoever proved the wallet on
 * one chain alone has to be its owner on all that it is registered for. A wallet that nobody registered is known from now.
 */
export async function claimPolicy({ storage }: PolicyDeps, principal: Principal, wallet: Address): Promise<void> {
  requireScope(principal, WRITE)
  const owned = await storage.stores.wallets.ownersOf(wallet)
  const isProved =
    principal.wallet?.address === wallet && owned.every(({ chainId }) => hasProved(principal, wallet, chainId))
  if (!isProved && !holdsAny(principal, WRITE))
    throw new CountersignError('not_owner', 'Only the owner of the wallet writes its policy: sign in with it.')
  if (isProved) await storage.stores.wallets.ensure(wallet)
}

function holdsAny({ scopes }: Principal, needed: readonly string[]): boolean {
  return needed.some((scope) => scopes.includes(scope.replace(/:own$/, ':any')))
}
