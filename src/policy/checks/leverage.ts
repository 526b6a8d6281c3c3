import { marketOf, ownChanges, projectAccounts } from '../account.ts'
import { defineLegCheck, type Subject } from '../check.ts'
import type { DecodedAction, Leg } from '../decoded-action.ts'
import { whyMissing } from '../facts.ts'
import { raisesLeverage, tooHigh } from '../leverage.ts'

/**
 * The leverage of an account that is changed must stay within the policy: of what a lending venue keeps, how much is
 * borrowed. A category of Aave (eMode) sets no leverage: what it lets be borrowed is decided when it is borrowed.
 */
export const leverage = defineLegCheck({
  id: 'leverage',
  field: 'leverage.max',
  needs: (subject) => (isLimited(subject) ? ['tokens', 'prices', 'positions'] : []),
  run(leg, input) {
    const { action, policy, facts } = input
    const changes = raisesOf(leg, action)
    const max = policy.leverage?.max
    if (changes.length === 0) return { notChecked: 'It changes no leverage.' }
    if (max === undefined) return { notChecked: 'The policy sets no leverage.' }
    const accounts = projectAccounts(action, facts, 'down')
    if (!accounts)
      return {
        unavailable: `What the wallet has and owes at ${leg.venue} is not known. ${whyMissing('positions', facts)}`,
      }
    const changed = accounts.filter(({ market }) => changes.some((change) => marketOf(change) === market))
    const outcome = tooHigh(input, changed, max, `The leverage at ${leg.venue}`)
    return 'reason' in outcome ? { failed: 'leverage_cap_exceeded', ...outcome } : outcome
  },
})

function isLimited({ action, policy }: Subject): boolean {
  return policy.leverage?.max !== undefined && ownChanges(action).some(raisesLeverage)
}

/** Changes of the wallet's own accounts in a leg after which less stands behind more debt. */
function raisesOf({ positions = [] }: Leg, { wallet }: DecodedAction) {
  return positions.filter((one) => one.party === wallet && raisesLeverage(one))
}
