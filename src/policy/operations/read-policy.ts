import type { Address } from '../../lib/address.ts'
import type { PolicyRecord } from '../../schema/policy-record.ts'
import type { PolicyDeps } from '../operation.ts'
import { policyRecordOf } from '../record.ts'

/** The wallet's current policy, if it has one. */
export async function readPolicy({ storage }: PolicyDeps, wallet: Address): Promise<PolicyRecord | undefined> {
  const current = await storage.stores.policies.current(wallet)
  return current && policyRecordOf(current)
}

/** Every version of a wallet's policy, newest first. */
export async function policyVersions({ storage }: PolicyDeps, wallet: Address): Promise<readonly PolicyRecord[]> {
  return (await storage.stores.policies.versions(wallet)).map(policyRecordOf)
}
