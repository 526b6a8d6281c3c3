import type { Address } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { IntegratorPolicy, Verification } from '../../schema/verification.ts'
import type { StoredTransaction } from '../../storage/index.ts'
import type { PolicyDeps } from '../operation.ts'
import { ownTransaction, type Principal, READ_SCOPES, requireScope } from '../principal.ts'
import { policyRecordOf } from '../record.ts'
import { readStored } from '../until-decided.ts'

/** A partner's verification, by its id or its requestHash (specification 4.2). @throws CountersignError not_found */
export async function readVerification(deps: PolicyDeps, principal: Principal, id: string): Promise<Verification> {
  const { requestHash } = await ownVerification(deps, principal, id, READ_SCOPES)
  return readStored(deps, requestHash)
}

/** The current policy of a wallet of the integration. @throws CountersignError not_found */
export async function readIntegratorPolicy(
  { storage }: PolicyDeps,
  principal: Principal,
  walletAddress: Address,
): Promise<IntegratorPolicy> {
  requireScope(principal, ['policies:read:own'])
  const { integrators, policies } = storage.stores
  const chainIds = await integrators.chainsOf(principal.appId ?? '', walletAddress)
  if (chainIds.length === 0) throw new CountersignError('not_found', 'The wallet is not in this integration.')
  const current = await policies.current(walletAddress)
  if (current === undefined) throw new CountersignError('not_found', 'The wallet has no policy.')
  const { version, policy, createdAt } = policyRecordOf(current)
  return { walletAddress, chainIds, version, policy, createdAt }
}

/** A partner's verification by either of its names, as it is stored. @throws CountersignError not_found */
export async function ownVerification(
  { storage }: PolicyDeps,
  principal: Principal,
  id: string,
  needed: readonly string[],
): Promise<StoredTransaction> {
  const { transactions } = storage.stores
  const named = id.startsWith('0x') ? undefined : await transactions.byId(id)
  return ownTransaction({ transactions }, principal, named?.requestHash ?? id, needed)
}
