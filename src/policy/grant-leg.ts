import { type Grant, isUnlimited, type Leg } from './decoded-action.ts'

/**
 * The leg of an action that gives a right to spend. An amount of zero takes the right away.
 * `deadline` is in Unix seconds; after it the chain refuses the grant.
 */
export function grantLeg(venue: string, grant: Omit<Grant, 'unlimited'>, deadline: number | null = null): Leg {
  const kind = grant.amount === 0n ? 'revoke' : 'approve'
  const grants = [{ ...grant, unlimited: isUnlimited(grant.amount) }]
  return { kind, venue, spends: [], receives: [], grants, deadline }
}
