import { formatUsd } from '../../../lib/usd.ts'
import { movementText, unitsOf, worthOf } from '../../amounts.ts'
import { decimalsOf, type Effect } from '../../effect.ts'
import type { Intent } from '../../intent.ts'
import { defineEffectNode, type Finding } from '../../node.ts'
import { matchPrice, orderOf } from '../../order.ts'

/** Where the request sets no slippage, a minimum further below the price than this is none. Basis points. */
const DEFAULT_BPS = 500
const FULL = 10_000n

/** What comes back at least is what was asked for, and no further below the price than was allowed. */
export const slippageTolerance = defineEffectNode({
  id: 'intent_alignment.slippage_tolerance',
  critical: true,
  after: ['intent_alignment.amount_matching'],
  run(effect, { intent }) {
    const order = orderOf(effect)
    if (order) return matchPrice(order)
    if (effect.operation !== 'swap') return { skip: 'It is no trade.' }
    const nothing = effect.receives.length === 0 || effect.receives.some(({ amount }) => amount === 0n)
    if (nothing) return { fail: 'The trade sets no minimum output: anything may come back, or nothing.' }
    return belowMinimum(effect, intent) ?? againstPrice(effect, intent)
  },
})

function belowMinimum(effect: Effect, { minimumOut }: Intent): Finding | undefined {
  if (minimumOut === null) return undefined
  const [first] = effect.receives
  const decimals = first && decimalsOf(first.asset, effect)
  const least = decimals === undefined ? undefined : unitsOf(minimumOut.value, decimals)
  if (first?.amount !== null && first !== undefined && least !== undefined && first.amount >= least) return undefined
  const actual = first ? movementText(first, effect) : 'nothing'
  return { fail: `At least ${minimumOut.value} should come back, and ${actual} may.`, details: { actual } }
}

function againstPrice(effect: Effect, { slippageBps, minimumOut }: Intent): Finding {
  if ('missing' in effect.prices) return { down: `Prices could not be read: ${effect.prices.missing}` }
  const [paid, back] = [worthOf(effect.spends, effect), worthOf(effect.receives, effect)]
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
