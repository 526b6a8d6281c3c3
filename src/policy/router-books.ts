import type { BoundedRange } from './amount-range.ts'
import { exactly, NOTHING } from './amount-range.ts'
import type { Asset } from './decoded-action.ts'
import { give, holding, spend, take, takeRange } from './router-balances.ts'
import type { BookRange, Plan } from './router-outcome.ts'
import type { BookStep, StepOf } from './router-step.ts'

/**
 * The books that version 4's pool manager keeps for a router. Whatever is left open at the end of a command reverts the
 * transaction, so only what a step makes sure of itself has to be believed: a least output, a greatest input, a literal
 * amount that is taken or settled. Source: v4-periphery's V4Router and DeltaResolver.
 */

const SETTLED: BookRange = { ...NOTHING, sold: 0n }

type Change = Pick<BookRange, 'min' | 'max'> & Readonly<{ sold?: bigint }>

/** Performs a step on the books, or says why it is not understood. */
export function runOnBooks(plan: Plan, step: BookStep): string | null {
  switch (step.step) {
    case 'book-sale':
      return sell(plan, step)
    case 'book-purchase':
      return buy(plan, step)
    case 'settle':
      return settle(plan, step)
    case 'take':
      return takeOut(plan, step)
    case 'take-share':
      return takeShare(plan, step)
    case 'close-books':
      return closeBooks(plan)
  }
}

/**
 * Whatever hooks do, a sale costs no more than it says: the pool manager does not let them turn it around. They may give
 * something to it.
 */
function sell(plan: Plan, { sells, amount, buys, min, middle, hooks }: StepOf<'book-sale'>): string | null {
  const gifts = hooks.length > 0
  if (amount === 'open') {
    const credit = open(plan, sells)
    if (credit.max !== null && credit.max <= 0n) return `it sells a credit of ${sells} that the plan does not bring`
    plan.books.set(sells, { min: 0n, max: gifts ? null : credit.max, sold: 0n })
  } else record(plan, sells, { min: -amount, max: gifts ? null : 0n, sold: amount })
  for (const asset of middle) record(plan, asset, { min: 0n, max: null })
  record(plan, buys, { min, max: null })
  trade(plan, [sells, ...middle, buys], hooks)
  return null
}

/** Where nobody makes sure that all of it is delivered, it can be less, and through a hook even a debt. */
function buy(plan: Plan, step: StepOf<'book-purchase'>): string | null {
  const { buys, amount, filled, sells, max, middle, hooks } = step
  const atWorst = (least: bigint | null) => (hooks.length > 0 ? null : least)
  if (amount === 'open') {
    const debt = open(plan, buys)
    if (debt.min !== null && debt.min >= 0n) return `it buys for a debt of ${buys} that the plan does not have`
    plan.books.set(buys, filled ? SETTLED : { min: atWorst(debt.min), max: 0n, sold: 0n })
  } else record(plan, buys, filled ? exactly(amount) : { min: atWorst(0n), max: amount })
  for (const asset of middle) record(plan, asset, filled ? NOTHING : { min: null, max: 0n })
  record(plan, sells, { min: -max, max: 0n })
  trade(plan, [sells, ...middle, buys], hooks)
  return null
}

function settle(plan: Plan, { asset, amount, payer, max }: StepOf<'settle'>): string | null {
  // The pool manager is paid native coin out of what the router holds, whoever is named.
  const fromWallet = payer === 'wallet' && asset !== 'native'
  if (amount === 'balance') {
    if (fromWallet) return 'the wallet would pay as much as the router happens to hold'
    const held = holding(plan, asset)
    const refusal = take(plan, asset, 'balance', false)
    if (refusal === null) record(plan, asset, { min: held.min, max: null })
    return refusal
  }
  if (amount !== 'open') {
    record(plan, asset, exactly(amount))
    if (!fromWallet) return take(plan, asset, amount, false)
    spend(plan, asset, exactly(amount))
    return null
  }
  const owed = debtOf(plan, asset, max)
  if (typeof owed === 'string') return owed
  const { sold } = open(plan, asset)
  plan.books.set(asset, SETTLED)
  if (fromWallet) {
    spend(plan, asset, owed)
    return null
  }
  // A pool that runs dry leaves some in the router. The minimum of the sale is enforced for the whole all the same.
  const firm = sold > owed.max ? owed.max : sold
  return takeRange(plan, asset, { min: firm > owed.min ? firm : owed.min, max: owed.max })
}

/** What the router may owe of an asset where it pays all of its debt. */
function debtOf(plan: Plan, asset: Asset, limit: bigint | null): BoundedRange | string {
  const { min, max } = open(plan, asset)
  const least = max === null || max > 0n ? 0n : -max
  const most = min === null || (limit !== null && limit < -min) ? limit : -min
  if (most === null) return `it pays a debt of ${asset} that nothing limits`
  if (most < least) return `it pays at most ${most} of ${asset}, of which the plan owes more`
  if (most <= 0n) return `it settles a debt of ${asset} that the plan does not have`
  return { min: least, max: most }
}

function takeOut(plan: Plan, { asset, amount, min, to }: StepOf<'take'>): string | null {
  if (amount !== 'open') {
    record(plan, asset, exactly(-amount))
    give(plan, asset, to, exactly(amount))
    return null
  }
  const credit = creditOf(plan, asset, min)
  if (typeof credit === 'string') return credit
  plan.books.set(asset, SETTLED)
  if (credit.max !== 0n) give(plan, asset, to, credit)
  return null
}

function takeShare(plan: Plan, { asset, share, whole, to }: StepOf<'take-share'>): string | null {
  if (share > whole) return 'a share of more than the whole cannot be paid'
  const credit = creditOf(plan, asset, 0n)
  if (typeof credit === 'string') return credit
  if (credit.max === 0n) return `the plan brings no ${asset} of which a share could be paid`
  const of = (amount: bigint) => (amount * share) / whole
  const [least, most] = [of(credit.min), credit.max === null ? null : of(credit.max)]
  give(plan, asset, to, { min: least, max: most })
  plan.books.set(asset, {
    min: credit.min - least,
    max: credit.max === null || most === null ? null : credit.max - most,
    sold: 0n,
  })
  return null
}

/** What the router may have to its credit where it asks for at least `min`. */
function creditOf(plan: Plan, asset: Asset, min: bigint): Readonly<{ min: bigint; max: bigint | null }> | string {
  const credit = open(plan, asset)
  const least = credit.min === null || credit.min < min ? min : credit.min
  return credit.max !== null && credit.max < least
    ? `it asks for ${min} of ${asset}, which the plan does not bring`
    : { min: least, max: credit.max }
}

function closeBooks(plan: Plan): string | null {
  for (const [asset, { min, max }] of plan.books) {
    if (min !== null && min > 0n) return `it leaves ${asset} at the pool manager, which fails`
    if (max !== null && max < 0n) return `it leaves a debt of ${asset} at the pool manager, which fails`
  }
  plan.books.clear()
  return null
}

function trade(plan: Plan, assets: readonly Asset[], hooks: readonly Plan['context']['router'][]): void {
  plan.swaps = true
  for (const asset of assets) plan.traded.add(asset)
  for (const hook of hooks) plan.touches.add(hook)
}

function open(plan: Plan, asset: Asset): BookRange {
  return plan.books.get(asset) ?? SETTLED
}

function record(plan: Plan, asset: Asset, change: Change): void {
  const before = open(plan, asset)
  plan.books.set(asset, {
    min: before.min === null || change.min === null ? null : before.min + change.min,
    max: before.max === null || change.max === null ? null : before.max + change.max,
    sold: before.sold + (change.sold ?? 0n),
  })
}
