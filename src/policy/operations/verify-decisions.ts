import type { Address } from '../../lib/address.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { isSignedBy } from '../../lib/ed25519.ts'
import type { Hex } from '../../lib/hash.ts'
import type { Policy } from '../../schema/policy.ts'
import type { RecordedVerdict, Storage } from '../../storage/index.ts'
import { actionHashOf } from '../action-hash.ts'
import { receiptOf } from '../receipt.ts'
import { type RecordedDecision, replay } from '../replay.ts'

const READ_AT_ONCE = 500

/** What is wrong with a stored decision: its receipt is missing or of another verdict, or its evidence leads to another one. */
export type DecisionFault = Readonly<{ requestHash: Hex; fault: 'receipt' | 'replay' }>

/**
 * Checks every stored decision against its receipt, and decides it again from its evidence. A replay differs where the
 * record was changed, or where this version decides otherwise than the one that made it. What a service elsewhere decided,
 * by a policy that this store does not have, is not decided again: of an approval its receipt is checked.
 */
export async function verifyDecisions({
  stores,
}: Pick<Storage, 'stores'>): Promise<
  Readonly<{ decisions: number; elsewhere: number; faults: readonly DecisionFault[] }>
> {
  const policies = policiesOf(stores)
  const faults: DecisionFault[] = []
  let [decisions, elsewhere] = [0, 0]
  for (let after = 0; ; ) {
    const recorded = await stores.verdicts.recorded({ after, limit: READ_AT_ONCE })
    for (const decision of recorded) {
      const { requestHash, wallet, verdict, receipt } = decision
      const { policyVersion, outcome } = verdict
      // One that no policy led to has its receipt all the same where it was made here.
      const isElsewhere = (policyVersion !== null || receipt === null) && !(await policies.has(wallet))
      if (isElsewhere) elsewhere += 1
      if (!(isElsewhere && outcome === 'rejected') && !hasItsReceipt(decision))
        faults.push({ requestHash, fault: 'receipt' })
      if (isElsewhere) continue
      const policy = await policies.of(wallet, policyVersion)
      if (!isSameAgain({ ...decision, policy })) faults.push({ requestHash, fault: 'replay' })
    }
    decisions += recorded.length
    const last = recorded.at(-1)
    if (last === undefined) return { decisions, elsewhere, faults }
    after = last.seq
  }
}

/** Evidence that was touched may be in no form that anything can be decided by. */
function isSameAgain(recorded: RecordedDecision): boolean {
  try {
    return replay(recorded).equal
  } catch {
    return false
  }
}

function hasItsReceipt({ receipt: signed, requestHash, wallet, proposedTx, verdict, approvedUntil }: RecordedVerdict) {
  if (signed === null) return false
  const actionHash = actionHashOf(proposedTx)
  const expected = receiptOf({ requestHash, actionHash, wallet, chainId: proposedTx.chainId, verdict, approvedUntil })
  const text = canonicalJson(signed.receipt)
  return text === canonicalJson(expected) && isSignedBy(signed.publicKey as Hex, text, signed.signature)
}

/** Policies by wallet and version, each wallet's read once. */
function policiesOf(stores: Storage['stores']) {
  const read = new Map<Address, Promise<ReadonlyMap<number, Policy>>>()
  const versionsOf = (wallet: Address) => {
    const versions =
      read.get(wallet) ??
      stores.policies.versions(wallet).then((all) => new Map(all.map((one) => [one.version, one.policy])))
    read.set(wallet, versions)
    return versions
  }
  return {
    has: async (wallet: Address): Promise<boolean> => (await versionsOf(wallet)).size > 0,
    of: async (wallet: Address, version: number | null): Promise<Policy | null> =>
      version === null ? null : ((await versionsOf(wallet)).get(version) ?? null),
  }
}
