import type { Address } from '../lib/address.ts'
import type { Stores } from '../storage/index.ts'
import { decodeProposed } from './decode-proposed.ts'
import type { Facts } from './facts.ts'
import { marginVenue } from './margin.ts'
import { MOST_STANDING, type StandingApproval } from './standing.ts'

/** A transaction may be reported this much (ms) before it is mined: until then it counts beside what is seen. */
const MINED_AFTER_MS = 15_000

/** What else is approved for a wallet, and may not be in what was read of its accounts since `readAt` (ms). */
export async function standingApprovals(
  { approvals }: Pick<Stores, 'approvals'>,
  wallet: Address,
  readAt: number,
): Promise<readonly StandingApproval[]> {
  const since = Math.floor(readAt) - MINED_AFTER_MS
  const standing = await approvals.standing(wallet, { since, limit: MOST_STANDING })
  return standing.flatMap(({ proposedTx, verdict, executedAt }) => {
    const decoded = decodeProposed(proposedTx, wallet)
    // An order that a venue took is seen there at once.
    const seenAfter = decoded.ok && marginVenue(decoded.value) !== undefined ? 0 : MINED_AFTER_MS
    const isSeen = executedAt !== null && executedAt < readAt - seenAfter
    return isSeen ? [] : [{ decoded, facts: (verdict.evidence.observations.facts ?? {}) as Facts }]
  })
}
