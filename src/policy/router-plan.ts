import type { Address } from '../lib/address.ts'
import { type Result, refuse } from '../lib/result.ts'
import { type AmountRange, ANYTHING, exactly, less, mapRange, NOTHING } from './amount-range.ts'
import { deadlineOf, earlier } from './deadline.ts'
import type { Asset } from './decoded-action.ts'
import { isVouchedFor, paysIntoWrapped, runsForeignCode } from './foreign-code.ts'
import { give, hold, holding, spend, take, wholeBalance } from './router-balances.ts'
import { runOnBooks } from './router-books.ts'
import { conclude, type Plan, type PlanContext, type PlanOutcome } from './router-outcome.ts'
import type { Step, StepOf } from './router-step.ts'

/**
 * What a router's plan does, worked out without the chain. A plan is many small steps over balances that the router holds
 * for the length of one transaction; only their net effect matters: what the wallet can lose at most, what each party must
 * get at least, and whether anything stays behind in the router, where the next caller takes it.
 *
 * Tokens are taken to move what they are told to: one that takes a fee from transfers delivers less than is said here.
 */

const MAX_STEPS = 128

/** Runs a plan's steps in their order, for a router that holds nothing before. `venue` names the leg. */
export function runPlan(venue: string, steps: readonly Step[], context: PlanContext): Result<PlanOutcome> {
  const plan: Plan = {
    context,
    held: new Map(),
    books: new Map(),
    spent: new Map(),
    received: new Map(),
    grants: [],
    touches: new Set(),
    traded: new Set(),
    swaps: false,
    deadline: null,
    steps: 0,
    share: null,
  }
  if (context.value > 0n) {
    spend(plan, 'native', exactly(context.value))
    give(plan, 'native', context.router, exactly(context.value))
  }
  const refusal = runAll(plan, steps)
  return refusal === null ? conclude(venue, plan) : refuse(refusal)
}

function runAll(plan: Plan, steps: readonly Step[]): string | null {
  plan.steps += steps.length
  if (plan.steps > MAX_STEPS) return `a plan of more than ${MAX_STEPS} steps is not decoded`
  for (const step of steps) {
    const refusal = run(plan, step)
    if (refusal !== null) return refusal
    if (!plan.context.locked && runsForeignCode(step, plan.context)) doubtHoldings(plan)
  }
  return null
}

/** Performs a step, or says why it is not understood. */
function run(plan: Plan, step: Step): string | null {
  if (paysIntoWrapped(step, plan.context)) return 'native coin paid to the wrapped coin comes back to the router'
  switch (step.step) {
    case 'collect':
      spend(plan, step.asset, exactly(step.amount))
      give(plan, step.asset, step.to, exactly(step.amount))
      return null
    case 'swap':
      return swap(plan, step)
    case 'pay':
      return pay(plan, step)
    case 'share':
      return share(plan, step)
    case 'require':
      return atLeast(plan, step.asset, step.min)
    case 'wrap':
      return wrap(plan, step)
    case 'unwrap':
      return unwrap(plan, step)
    case 'expire':
      plan.deadline = earlier(plan.deadline, deadlineOf(step.at))
      return null
    case 'grant':
      plan.grants.push(step.leg)
      return null
    case 'touch':
      plan.touches.add(step.address)
      return null
    case 'attempt':
      return attempt(plan, step)
    case 'book-sale':
    case 'book-purchase':
    case 'settle':
    case 'take':
    case 'take-share':
    case 'close-books':
      return runOnBooks(plan, step)
  }
}

/** Afterwards either nothing of it has happened or all of it: what is certain is what holds both ways. */
function attempt(plan: Plan, { steps }: StepOf<'attempt'>): string | null {
  const tried: Plan = {
    ...plan,
    held: new Map(plan.held),
    spent: new Map(plan.spent),
    received: new Map(plan.received),
  }
  const refusal = runAll(tried, steps)
  if (refusal !== null) return refusal
  for (const asset of new Set([...plan.held.keys(), ...tried.held.keys()]))
    hold(plan, asset, either(holding(plan, asset), holding(tried, asset)))
  for (const [asset, { max }] of tried.spent) plan.spent.set(asset, { min: plan.spent.get(asset)?.min ?? 0n, max })
  for (const [key, receipt] of new Map([...plan.received, ...tried.received])) {
    const amount = either(plan.received.get(key)?.amount ?? NOTHING, tried.received.get(key)?.amount ?? NOTHING)
    plan.received.set(key, { ...receipt, amount })
  }
  plan.swaps = tried.swaps
  plan.steps = tried.steps
  return null
}

function either(a: AmountRange, b: AmountRange): AmountRange {
  return {
    min: a.min < b.min ? a.min : b.min,
    max: a.max === null || b.max === null ? null : a.max > b.max ? a.max : b.max,
  }
}

function swap(plan: Plan, { payer, sells, buys, middle, custody, prepaid, to }: StepOf<'swap'>): string | null {
  const { wrapped, wrapsToPay } = plan.context
  const native = holding(plan, 'native')
  const held = holding(plan, sells.asset)
  // Such a router spends native coin it holds wherever it owes the wrapped one: no mixture of the two is decoded.
  const wraps = wrapsToPay && native.max !== 0n
  if (wraps && ((custody && middle.includes(wrapped)) || (payer === 'router' && sells.asset === wrapped)))
    return 'the router would pay in native value that came with the call instead of the wrapped coin it holds'
  // A pool that was paid before sells what it got.
  if (sells.amount === 0n && !(prepaid && plan.received.delete(`${sells.asset} ${prepaid}`))) return 'it sells nothing'
  plan.swaps = true
  for (const token of middle) plan.touches.add(token)
  plan.traded.add(sells.asset)
  plan.traded.add(buys.asset)
  if (sells.amount === 0n) {
    // Nobody pays.
  } else if (payer === 'router') {
    // A pool that runs dry leaves some in the router. The minimum of the swap is enforced for the whole all the same.
    const paid = sells.amount === 'balance' && plan.received.delete(`${sells.asset} ${prepaid}`)
    const refusal = paid && held.max === 0n ? null : take(plan, sells.asset, sells.amount, sells.sold === 'up-to')
    if (refusal !== null) return refusal
  } else {
    if (sells.amount === 'balance') return 'the wallet would pay as much as the router happens to hold'
    const amount = sells.sold === 'all' ? exactly(sells.amount) : { min: 0n, max: sells.amount }
    if (!wraps || sells.asset !== wrapped) spend(plan, sells.asset, amount)
    else if (native.min < sells.amount)
      return 'the native value that came with the call does not cover what is sold, which would then be taken from the wallet'
    else hold(plan, 'native', less(native, sells.sold === 'up-to' ? amount : exactly(sells.amount)))
  }
  const certain = buys.checked || [sells.asset, ...middle].every((token) => isVouchedFor(token, plan.context))
  give(plan, buys.asset, to, certain ? buys.amount : ANYTHING)
  return null
}

function pay(plan: Plan, { asset, amount, min, to }: StepOf<'pay'>): string | null {
  const { router } = plan.context
  if (to === router && asset === 'native') return 'the router does not take native coin from itself'
  const refusal = atLeast(plan, asset, min)
  if (refusal !== null || to === router) return refusal
  if (amount !== 'balance') {
    const taken = take(plan, asset, amount, false)
    if (taken === null) give(plan, asset, to, exactly(amount))
    return taken
  }
  const held = holding(plan, asset)
  const unfunded = held.max === 0n
  hold(plan, asset, NOTHING)
  if (!unfunded || to !== plan.context.wallet) give(plan, asset, to, wholeBalance(held))
  return null
}

function share(plan: Plan, { asset, share: part, whole, to }: StepOf<'share'>): string | null {
  if (part > whole) return 'a share of more than the whole cannot be paid'
  const held = holding(plan, asset)
  if (held.max === 0n) return `the plan brings no ${asset} of which a share could be paid`
  if (to === plan.context.router) return 'the router would pay a share to itself'
  const of = (amount: bigint) => (amount * part) / whole
  const left = mapRange(held, (amount) => amount - of(amount))
  hold(plan, asset, left)
  give(plan, asset, to, wholeBalance(mapRange(held, of)))
  plan.share = { receipt: `${asset} ${to}`, share: part, whole, least: of(held.min), left }
  return null
}

function wrap(plan: Plan, { amount, to }: StepOf<'wrap'>): string | null {
  const held = holding(plan, 'native')
  const refusal = take(plan, 'native', amount, false)
  if (refusal !== null) return refusal
  const moved = amount !== 'balance' ? exactly(amount) : to === plan.context.router ? held : wholeBalance(held)
  give(plan, plan.context.wrapped, to, moved)
  return null
}

function unwrap(plan: Plan, { min, to, fee }: StepOf<'unwrap'>): string | null {
  const { wallet, router, wrapped } = plan.context
  const refusal = atLeast(plan, wrapped, min)
  if (refusal !== null) return refusal
  const held = holding(plan, wrapped)
  hold(plan, wrapped, NOTHING)
  const pays = (party: Address, amount: AmountRange) => {
    if (party === router) give(plan, 'native', party, amount)
    else if (held.max !== 0n || party !== wallet) give(plan, 'native', party, wholeBalance(amount))
  }
  const cut = (amount: bigint) => (fee === undefined ? 0n : (amount * fee.share) / fee.whole)
  if (fee !== undefined) pays(fee.to, mapRange(held, cut))
  pays(
    to,
    mapRange(held, (amount) => amount - cut(amount)),
  )
  return null
}

/** A guard: whatever runs after it knows that the router holds so much. */
function atLeast(plan: Plan, asset: Asset, min: bigint): string | null {
  const held = holding(plan, asset)
  if (held.max !== null && held.max < min) return `it asks for ${min} of ${asset}, which the plan does not bring`
  if (held.min >= min) return null
  guardShare(plan, held, min)
  hold(plan, asset, { min, max: held.max })
  return null
}

/**
 * Where at least `min` is left of a balance of which a share was paid, the share was one of at least so much as leaves
 * that: of the smallest x with x - floor(x * share / whole) >= min.
 */
function guardShare(plan: Plan, held: AmountRange, min: bigint): void {
  const paid = plan.share
  if (paid === null || paid.left !== held || paid.share >= paid.whole) return
  const receipt = plan.received.get(paid.receipt)
  if (receipt === undefined) return
  const { share: part, whole, least } = paid
  const whence = ((min - 1n) * whole) / (whole - part) + 1n
  const more = (whence * part) / whole - least
  const { amount } = receipt
  if (more > 0n) plan.received.set(paid.receipt, { ...receipt, amount: { min: amount.min + more, max: amount.max } })
}

/** Somebody else had a turn, and may have taken all that the router held. */
function doubtHoldings(plan: Plan): void {
  for (const [asset, { max }] of plan.held) hold(plan, asset, { min: 0n, max })
}
