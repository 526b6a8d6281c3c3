import type { Address } from '../../lib/address.ts'
import { CountersignError } from '../../lib/errors.ts'
import type { ExecutionClaim, IntegratorPolicy, Verification } from '../../schema/verification.ts'
import type { StoredTransaction } from '../../storage/index.ts'
import type { PolicyDeps } from '../operation.ts'
import { ownTransaction, type Principal, READ_SCOPES, requireScope, SUBMIT_SCOPES } from '../principal.ts'
import { policyRecordOf } from '../record.ts'
import { readStored } from '../until-decided.ts'
import { cancel } from './cancel.ts'
import { reportExecution } from './report-execution.ts'

/** A partner's verification, by its id or its requestHash (specification 4.2). @throws CountersignError not_found */
export async function readVerification(deps: PolicyDeps, principal: Principal, id: string): Promise<Verification> {
  const { requestHash } = await ownVerification(deps, principal, id, READ_SCOPES)
  return readStored(deps, requestHash)
}

/** Stores a partner's report, with the rules of an agent's. @throws CountersignError as `reportExecution` */
export async function reportVerification(
  deps: PolicyDeps,
  principal: Principal,
  id: string,
  claim: ExecutionClaim,
): Promise<Verification> {
  const { requestHash } = await ownVerification(deps, principal, id, SUBMIT_SCOPES)
  await reportExecution(deps, principal, requestHash, claim)
  return readStored(deps, requestHash)
}

/** Gives up a partner's verification, with the rules of an agent's. @throws CountersignError as `cancel` */
export async function cancelVerification(deps: PolicyDeps, principal: Principal, id: string): Promise<Verification> {
  const { requestHash } = await ownVerification(deps, principal, id, SUBMIT_SCOPES)
  await cancel(deps, principal, requestHash)
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

async function ownVerification(
  { storage }: PolicyDeps,
  principal: Principal,
  id: string,
  needed: readonly string[],
): Promise<StoredTransaction> {
  const { transactions } = storage.stores
  const named = id.startsWith('0x') ? undefined : await transactions.byId(id)
  return ownTransaction({ transactions }, principal, named?.requestHash ?? id, needed)
}
