import { canonicalJson } from '../lib/canonical-json.ts'
import type { Hex } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import type { SubmitRequest, TransactionRecord } from '../schema/action.ts'
import type { SignedReceipt } from '../schema/receipt.ts'
import type { Verdict } from '../schema/verdict.ts'
import { requestHashOf } from './action-hash.ts'
import type { Approval } from './approval.ts'
import { decodeProposed } from './decode-proposed.ts'
import { legOf } from './evidence.ts'
import type { Facts } from './facts.ts'
import { checkReceipt } from './receipt.ts'

/** The longest that a policy lets an approval live, and what two clocks may differ by (ms). */
const LONGEST_MS = 86_400_000
const CLOCKS_MS = 300_000

/** Whether a record is of exactly these bytes of this wallet: its hash binds its id to them (contract section 4). */
export function isRecordOf({ id, requestHash }: TransactionRecord, request: SubmitRequest): boolean {
  const { escrowAddress, proposedTx } = request
  return requestHash === requestHashOf({ id, escrowAddress, proposedTx })
}

type Submitted = Pick<Approval, 'requestHash' | 'actionHash' | 'wallet' | 'tx'>

/**
 * Whether another service's approval may be acted on: its receipt verifies with the key that is trusted, and is of this
 * request, these bytes, this wallet and this verdict; it has not run out; and the bytes are read here as they were read
 * there. Gives the moment until which it holds, in ms.
 */
export function checkForeignApproval(
  { requestHash, actionHash, wallet, tx }: Submitted,
  verdict: Verdict,
  signed: SignedReceipt,
  trusted: Readonly<{ publicKey: Hex; now: number }>,
): Result<number> {
  const { observations } = verdict.evidence
  if (observations.actionHash !== actionHash) return refuse('The verdict is of another action.')
  const { expiresAt } = signed.receipt
  if (expiresAt === null) return refuse('The receipt is of no approval.')
  const approvedUntil = Date.parse(expiresAt)
  const checked = checkReceipt(
    signed,
    { requestHash, actionHash, wallet, chainId: tx.chainId, verdict, approvedUntil },
    trusted,
  )
  if (!checked.ok) return checked
  if (approvedUntil > trusted.now + LONGEST_MS + CLOCKS_MS)
    return refuse('The approval would hold for more than a day.')
  return isReadAlike(tx, wallet, verdict) ? ok(approvedUntil) : refuse('The bytes are read here as something else.')
}

function isReadAlike(tx: Submitted['tx'], wallet: Submitted['wallet'], { evidence }: Verdict): boolean {
  const decoded = decodeProposed(tx, wallet)
  if (!decoded.ok) return false
  const { chainId, legs } = decoded.value
  const facts = (evidence.observations.facts ?? {}) as Facts
  try {
    return canonicalJson(legs.map((leg) => legOf(leg, chainId, facts))) === canonicalJson(evidence.decodedActions ?? [])
  } catch {
    // Its facts are another's, and may be in no form that is known here.
    return false
  }
}
