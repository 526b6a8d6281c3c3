import { ceilDiv } from '../../lib/integers.ts'
import { formatUsd } from '../../lib/usd.ts'
import { defineLegCheck, type Input, type Outcome } from '../check.ts'
import { type Flow, isUnlimited, type Leg } from '../decoded-action.ts'
import { amountText } from '../describe.ts'
import { type Facts, known, quoteOf, whyUnvalued } from '../facts.ts'

const FULL_BPS = 10_000n

/** Where the policy sets no slippage, a minimum worth less than half of what is paid is dust, not a guard. */
const DUST_BPS = 5_000
/** Where an output has no price: so many parts of one whole token are no guard. */
const DUST_PARTS = 1_000_000n

/**
 * A swap must carry a minimum output that the chain enforces, worth what the policy demands. Always on for swaps:
 * a minimum of zero is no guard.
 */
export const slippageGuard = defineLegCheck({
  id: 'slippage_guard',
  field: 'slippage.maxBps',
  needs: ({ action }) => (action.legs.some(({ kind }) => kind === 'swap') ? ['tokens', 'prices'] : []),
  run(leg, input) {
    if (leg.kind !== 'swap') return { notChecked: 'It is no swap.' }
    const unbounded = leg.spends.find(({ amount }) => isUnlimited(amount))
    if (unbounded)
      return { failed: 'no_slippage_guard', reason: 'The swap sets no limit on what it may spend.', field: null }
    const unguarded = leg.receives.find(({ amount }) => amount === 0n)
    if (unguarded || leg.receives.length === 0)
      return {
        failed: 'no_slippage_guard',
        reason: `The swap sets no minimum output${nearest(leg, input)}.`,
        field: null,
      }
    return compareWithPrice(leg, input)
  },
})

function compareWithPrice(leg: Leg, input: Input): Outcome<'slippage_guard'> {
  const { policy, facts, valuation, action } = input
  const maxBps = policy.slippage?.maxBps
  const field = maxBps === undefined ? null : 'slippage.maxBps'
  const value = valuation.legs[action.legs.indexOf(leg)]
  if (value?.spent === undefined || value.received === undefined) return unpriced(leg, facts, field)
  const allowed = BigInt(maxBps ?? DUST_BPS)
  if (value.received * FULL_BPS >= value.spent * (FULL_BPS - allowed))
    return { passed: `At least ${formatUsd(value.received)} comes back for at most ${formatUsd(value.spent)}.` }
  return {
    failed: 'no_slippage_guard',
    reason: `The minimum output is worth ${formatUsd(value.received)} for ${formatUsd(value.spent)} paid, ${percent(allowed)} below the price being the most allowed${nearest(leg, input)}.`,
    field,
  }
}

/** Where a price is known not to exist, any minimum has to do; where it could not be had, the swap has to wait. */
function unpriced(leg: Leg, facts: Facts, field: string | null): Outcome<'slippage_guard'> {
  const prices = known(facts.prices)
  const priceless = [...leg.spends, ...leg.receives].some(({ asset }) => prices?.[asset] === null)
  const dust = leg.receives.find((flow) => isDust(flow, facts))
  if (priceless && dust)
    return {
      failed: 'no_slippage_guard',
      reason: `The minimum output of ${amountText(dust.asset, dust.amount, facts)} is dust, which guards nothing.`,
      field: null,
    }
  if (priceless) return { passed: 'The chain enforces a minimum output; no price is known to compare it with.' }
  return { unavailable: `The minimum output could not be compared with a price. ${whyUnvalued(facts)}`, field }
}

/** Less than a millionth of a whole token: no swap that anybody wants has so little as its least result. */
function isDust({ asset, amount }: Flow, facts: Facts): boolean {
  const decimals = known(facts.tokens)?.[asset]?.decimals
  return decimals !== undefined && amount * DUST_PARTS < 10n ** BigInt(decimals)
}

/** The smallest minimum output that would pass, where one output and all prices are known. */
function nearest(leg: Leg, { action, facts, policy, valuation }: Input): string {
  const [output, ...others] = leg.receives
  const spent = valuation.legs[action.legs.indexOf(leg)]?.spent
  if (!output || others.length > 0 || spent === undefined) return ''
  const quote = quoteOf(output.asset, facts)
  if (!quote) return ''
  const micro = ceilDiv(spent * (FULL_BPS - BigInt(policy.slippage?.maxBps ?? DUST_BPS)), FULL_BPS)
  const amount: Flow['amount'] = ceilDiv(micro * 10n ** BigInt(quote.decimals + 2), quote.usdE8)
  return `; it needs a minimum output of at least ${amountText(output.asset, amount, facts)}`
}

function percent(bps: bigint): string {
  return `${Number(bps) / 100} %`
}
