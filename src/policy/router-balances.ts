import type { Address } from '../lib/address.ts'
import { type AmountRange, type BoundedRange, boundedSum, less, NOTHING, sum } from './amount-range.ts'
import type { Asset } from './decoded-action.ts'
import type { Plan } from './router-outcome.ts'
import type { PlanAmount } from './router-step.ts'

/** What the router holds of an asset by now. */
export function holding(plan: Plan, asset: Asset): AmountRange {
  return plan.held.get(asset) ?? NOTHING
}

/** Sets what the router holds of an asset. */
export function hold(plan: Plan, asset: Asset, amount: AmountRange): void {
  plan.held.set(asset, amount)
}

/** The wallet pays. */
export function spend(plan: Plan, asset: Asset, amount: BoundedRange): void {
  plan.spent.set(asset, boundedSum(plan.spent.get(asset) ?? NOTHING, amount))
}

/** Somebody receives: the router keeps it for later steps, for anybody else it is the end. */
export function give(plan: Plan, asset: Asset, party: Address, amount: AmountRange): void {
  if (party === plan.context.router) return hold(plan, asset, sum(holding(plan, asset), amount))
  const key = `${asset} ${party}`
  const before = plan.received.get(key)?.amount ?? NOTHING
  plan.received.set(key, { asset, party, amount: sum(before, amount) })
}

/** Takes an amount out of the router, which the plan must have brought there before; says why that cannot be. */
export function take(plan: Plan, asset: Asset, amount: PlanAmount, upTo: boolean): string | null {
  if (amount !== 'balance') return takeRange(plan, asset, { min: upTo ? 0n : amount, max: amount })
  const held = holding(plan, asset)
  if (held.max === 0n) return unbrought(asset)
  hold(plan, asset, upTo ? { min: 0n, max: held.max } : NOTHING)
  return null
}

/** The same for an amount that is known within limits. */
export function takeRange(plan: Plan, asset: Asset, amount: BoundedRange): string | null {
  const held = holding(plan, asset)
  if (held.max === 0n) return unbrought(asset)
  if (held.max !== null && held.max < amount.min) return `it spends more ${asset} than the plan brings`
  hold(plan, asset, less(held, amount))
  return null
}

function unbrought(asset: Asset): string {
  return `it spends ${asset} that the plan does not bring`
}

/** What goes out with a balance: what others left in the router before goes along, so no upper bound is known. */
export function wholeBalance(held: AmountRange): AmountRange {
  return { min: held.min, max: null }
}
