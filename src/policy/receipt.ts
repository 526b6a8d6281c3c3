import type { Address } from '../lib/address.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { isSignedBy } from '../lib/ed25519.ts'
import { type Hex, sha256 } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { Receipt, type SignedReceipt } from '../schema/receipt.ts'
import type { Verdict } from '../schema/verdict.ts'

/** A decision that a receipt is made of. `approvedUntil` in ms of the database's clock; null where nothing was approved. */
export type Decided = Readonly<{
  requestHash: Hex
  actionHash: Hex
  wallet: Address
  chainId: number
  verdict: Verdict
  approvedUntil: number | null
}>

/** The receipt of a decision. A verdict that awaits a person has none. */
export function receiptOf({ requestHash, actionHash, wallet, chainId, verdict, approvedUntil }: Decided): Receipt {
  return Receipt.parse({
    schemaVersion: 1,
    requestHash,
    actionHash,
    wallet,
    chainId,
    outcome: verdict.outcome,
    reasonCode: verdict.reasonCode,
    policyVersion: verdict.policyVersion,
    verdictHash: verdictHashOf(verdict),
    issuedAt: verdict.timestamp,
    expiresAt: approvedUntil === null ? null : new Date(approvedUntil).toISOString(),
  })
}

/**
 * Whether a receipt proves that this decision is an approval, by the key that is trusted, at `now` (ms). The executor
 * signs nothing without it: a row of the database alone approves nothing.
 */
export function checkReceipt(
  signed: SignedReceipt | null,
  decided: Decided,
  trusted: Readonly<{ publicKey: Hex; now: number }>,
): Result<true> {
  if (signed === null) return refuse('The stored verdict has no receipt.')
  const { receipt, publicKey, signature } = signed
  if (publicKey !== trusted.publicKey) return refuse('The receipt of the verdict is signed by another key.')
  if (!isSignedBy(trusted.publicKey, canonicalJson(receipt), signature))
    return refuse('The signature of the receipt does not hold.')
  if (decided.verdict.outcome !== 'approved' || receipt.outcome !== 'approved')
    return refuse('The receipt is of no approval.')
  if (canonicalJson(receipt) !== canonicalJson(receiptOf(decided)))
    return refuse('The receipt is not of the stored verdict.')
  if (receipt.expiresAt === null || Date.parse(receipt.expiresAt) <= trusted.now)
    return refuse('The approval has expired.')
  return ok(true)
}

function verdictHashOf(verdict: Verdict): Hex {
  return sha256(canonicalJson(verdict))
}
