import { formatUsd } from '../../../lib/usd.ts'
import { movementText, totalOf, unitsOf, worthOf } from '../../amounts.ts'
import { decimalsOf, type Effect, type Movement } from '../../effect.ts'
import type { Intent } from '../../intent.ts'
import { defineEffectNode, type Finding } from '../../node.ts'
import { matchPrice, orderOf } from '../../order.ts'
import { arrivingAt, meantReceiver } from '../../receivers.ts'

/** Where the request sets no slippage, a minimum or a limit that is worse than the price by more than this is none. Basis points. */
const DEFAULT_BPS = 500
const FULL = 10_000n

/** What comes back at least is what was asked for, and no further below the price than was allowed. */
export const slippageTolerance = defineEffectNode({
  id: 'intent_alignment.slippage_tolerance',
  critical: true,
  after: ['intent_alignment.amount_matching'],
  run(effect, { intent, candidate }) {
    const order = orderOf(effect)
    if (order) return matchPrice(order, intent, { marks: effect.inspection.marks, mostBps: DEFAULT_BPS })
    if (effect.operation !== 'swap') return { skip: 'It is no trade.' }
    // What others get beside is no part of what comes back.
    const back = arrivingAt(effect, meantReceiver(intent, candidate))
    if (back.length === 0 || back.some(({ amount }) => amount === 0n))
      return { fail: 'The trade sets no minimum output: anything may come back, or nothing.' }
    return belowMinimum(back, effect, intent) ?? againstPrice(back, effect, intent)
  },
})

function belowMinimum(back: readonly Movement[], effect: Effect, { minimumOut }: Intent): Finding | undefined {
  const [first] = back
  if (minimumOut === null || first === undefined) return undefined
  const decimals = decimalsOf(first.asset, effect)
  const least = decimals === undefined ? undefined : unitsOf(minimumOut.value, decimals)
  const total = totalOf(back)
  if (total !== null && least !== undefined && total >= least) return undefined
  const actual = movementText({ asset: first.asset, amount: total }, effect)
  return { fail: `At least ${minimumOut.value} should come back, and ${actual} may.`, details: { actual } }
}

function againstPrice(arriving: readonly Movement[], effect: Effect, { slippageBps, minimumOut }: Intent): Finding {
  if ('missing' in effect.prices) return { down: `Prices could not be read: ${effect.prices.missing}` }
  const [paid, back] = [worthOf(effect.spends, effect), worthOf(arriving, effect)]
  if (paid === undefined || back === undefined) {
    if (minimumOut !== null)
      return { pass: 'The minimum is the one that was asked for; no price is known.', confidence: 0.8 }
    return { unable: 'No price is known to compare the minimum with: say the least that should come back.' }
  }
  const bps = slippageBps ?? DEFAULT_BPS
  const details = { paidUsd: formatUsd(paid), minimumUsd: formatUsd(back), allowedBps: bps }
  if (back * FULL >= paid * (FULL - BigInt(Math.round(bps))))
    return { pass: `At least ${formatUsd(back)} comes back for ${formatUsd(paid)}.`, details }
  return {
    fail: `The minimum is worth ${formatUsd(back)} for ${formatUsd(paid)}: more than ${bps / 100} % below the price.`,
    details,
  }
}
