import type { Policy } from '../../schema/policy.ts'
import { marketOf, ownChanges, ownChangesOf, projectAccounts } from '../account.ts'
import { defineLegCheck, type Outcome, type Subject } from '../check.ts'
import type { DecodedAction, Leg, LeverageChange } from '../decoded-action.ts'
import { type Facts, whyAnyMissing, whyMissing } from '../facts.ts'
import { raisesLeverage, tooHigh } from '../leverage.ts'
import { marketOf as marketOfOrder } from '../order.ts'

/**
 * The leverage of an account that is changed must stay within the policy: of what a lending venue keeps, how much is
 * borrowed. A category of Aave (eMode) sets no leverage: what it lets be borrowed is decided when it is borrowed.
 */
export const leverage = defineLegCheck({
  id: 'leverage',
  field: 'leverage.max',
  needs: (subject) => [
    ...(isLimited(subject) ? (['tokens', 'prices', 'positions', 'standing'] as const) : []),
    ...(subject.action.legs.some((leg) => leg.leverage) ? (['markets'] as const) : []),
  ],
  run(leg, input) {
    const { action, policy, facts } = input
    if (leg.leverage) return setLeverage(leg.leverage, policy, facts)
    const changes = raisesOf(leg, action)
    const max = policy.leverage?.max
    if (changes.length === 0) return { notChecked: 'It changes no leverage.' }
    if (max === undefined) return { notChecked: 'The policy sets no leverage.' }
    const accounts = projectAccounts(action, facts, 'down')
    if (!accounts)
      return {
        unavailable: `What the wallet has and owes at ${leg.venue} is not known. ${whyAnyMissing(['standing', 'positions'], facts)}`,
      }
    const changed = accounts.filter(({ market }) => changes.some((change) => marketOf(change) === market))
    const outcome = tooHigh(input, changed, max, `The leverage at ${leg.venue}`)
    return 'reason' in outcome ? { failed: 'leverage_cap_exceeded', ...outcome } : outcome
  },
})

/** A market's own limit is the tighter one where there are two. */
function setLeverage(
  { market, leverage: wanted }: LeverageChange,
  { leverage: limits }: Policy,
  facts: Facts,
): Outcome<'leverage'> {
  if (limits?.max === undefined && limits?.perMarket === undefined)
    return { notChecked: 'The policy sets no leverage.' }
  const symbol = marketOfOrder(market, facts)?.symbol
  if (symbol === undefined)
    return { unavailable: `What market ${market} is, is not known. ${whyMissing('markets', facts)}` }
  const perMarket = limits.perMarket
  const own = perMarket && Object.hasOwn(perMarket, symbol) ? perMarket[symbol] : undefined
  const max = Math.min(own ?? Number.POSITIVE_INFINITY, limits.max ?? Number.POSITIVE_INFINITY)
  if (max === Number.POSITIVE_INFINITY) return { notChecked: `The policy sets no leverage for ${symbol}.` }
  if (wanted <= max) return { passed: `A leverage of ${wanted} for ${symbol} is within ${max}.` }
  return {
    failed: 'leverage_cap_exceeded',
    reason: `A leverage of ${wanted} for ${symbol} is above the limit of ${max}; up to ${Math.floor(max)} would pass.`,
    ...(own === max && { field: `leverage.perMarket.${symbol}` }),
  }
}

function isLimited({ action, policy }: Subject): boolean {
  return policy.leverage?.max !== undefined && ownChanges(action).some(raisesLeverage)
}

/** Changes of the wallet's own accounts in a leg after which less stands behind more debt. */
function raisesOf(leg: Leg, action: DecodedAction) {
  return ownChangesOf(leg, action)
    .map(({ change }) => change)
    .filter(raisesLeverage)
}
