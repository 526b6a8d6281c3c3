import { canonicalJson } from '../lib/canonical-json.ts'
import { type Hex, keccak256 } from '../lib/hash.ts'
import type { ProposedTx } from '../schema/action.ts'

/** What an approval is bound to: keccak-256 over the canonical form of the action as it was received (contract section 4). */
export function actionHashOf(proposedTx: ProposedTx): Hex {
  return keccak256(canonicalJson(proposedTx))
}

/** What a submission is known by: no two are alike, even of one action. */
export function requestHashOf(
  submission: Readonly<{ id: string; escrowAddress: string; proposedTx: ProposedTx }>,
): Hex {
  return keccak256(canonicalJson(submission))
}
