import { spenderAt } from '../../registry/index.ts'
import { defineLegCheck } from '../check.ts'

/** The venue must be on the policy's list. An approval belongs to the venue whose contract may spend by it. */
export const venue = defineLegCheck({
  id: 'venue',
  field: 'venues.allow',
  run(leg, { action, policy }) {
    if (!policy.venues) return { notChecked: 'The policy lists no venues.' }
    const { allow } = policy.venues
    const spenders = leg.grants.map((grant) => spenderAt(action.chainId, grant.spender)?.venue)
    // Permit2 itself spends for nobody but the venues it was told of, each by a grant of its own.
    const forVenue =
      leg.spends.length === 0 &&
      spenders.length > 0 &&
      spenders.every((id) => id !== undefined && (id === 'permit2' || allow.includes(id)))
    if (allow.includes(leg.venue) || forVenue) return { passed: `Venue ${leg.venue} is allowed.` }
    return {
      failed: 'venue_not_allowed',
      reason: `Venue ${leg.venue} is not allowed; the policy allows ${allow.join(', ') || 'none'}.`,
    }
  },
})
