import type { Address } from '../../lib/address.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { CountersignError } from '../../lib/errors.ts'
import { sha256 } from '../../lib/hash.ts'
import type { Policy } from '../../schema/policy.ts'
import type { PolicyRecord } from '../../schema/policy-record.ts'
import type { PolicyDeps } from '../operation.ts'
import { policyRecordOf } from '../record.ts'

type Write = Readonly<{ wallet: Address; policy: Policy; by: string; ifVersion: number | undefined }>

/** Appends a version of a wallet's policy, under the wallet's lock: no decision is taken on half of it. */
export async function writePolicy(
  { storage }: PolicyDeps,
  { wallet, policy, by, ifVersion }: Write,
): Promise<PolicyRecord> {
  return storage.transaction(async ({ wallets, policies, audit }) => {
    await wallets.lock(wallet).catch((fault: unknown) => {
      const unknown = fault instanceof CountersignError && fault.code === 'wallet_not_registered'
      throw unknown ? new CountersignError('not_found', 'No such wallet is registered.') : fault
    })
    const written = await policies.write({
      walletAddress: wallet,
      policy,
      createdBy: by,
      ...(ifVersion !== undefined && { ifVersion }),
    })
    const payload = { version: written.version, by, policyHash: sha256(canonicalJson(policy)) }
    await audit.append({ kind: 'policy', subject: wallet, payload })
    return policyRecordOf(written)
  })
}
