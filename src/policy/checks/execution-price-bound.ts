import { defineLegCheck } from '../check.ts'
import type { VenueOrder } from '../decoded-action.ts'
import { whyMissing } from '../facts.ts'
import { exactly, marketOf } from '../order.ts'

const FULL_BPS = 10_000n

/** Where the policy sets no bound, a limit price that is half as bad again as the market is none. */
const NO_BOUND_BPS = 5_000

/**
 * An order must carry a price bound that the venue enforces, within the policy's distance of the mark price, or of the
 * price that it waits for. Always on for orders. On-chain transfers and swaps are no orders.
 */
export const executionPriceBound = defineLegCheck({
  id: 'execution_price_bound',
  field: 'priceBound.maxDeviationBps',
  needs: ({ action }) => (action.legs.some(({ order }) => order) ? ['markets'] : []),
  run({ order, venue }, { policy, facts }) {
    if (order === undefined) return { notChecked: 'It is no venue order.' }
    const { price, side } = order
    if (price === null)
      return {
        failed: 'no_execution_price_bound',
        reason: `${venue} would fill this order at whatever the price is: it needs a limit price.`,
        field: null,
      }
    const market = marketOf(order.market, facts)
    if (market === undefined)
      return { unavailable: `The price of market ${order.market} is not known. ${whyMissing('markets', facts)}` }
    const maxBps = policy.priceBound?.maxDeviationBps
    const reference = order.trigger ?? market.mark
    const worst = worstPrice(order, reference, maxBps ?? NO_BOUND_BPS)
    const within = side === 'buy' ? exactly(price) * FULL_BPS <= worst : exactly(price) * FULL_BPS >= worst
    const name = market.kind === 'outcome' ? 'mid price' : 'mark price'
    const of = order.trigger === null ? `${name} ${reference}` : `trigger price ${reference}`
    if (within) return { passed: `The limit of ${price} is within reach of the ${of} of ${market.symbol}.` }
    return {
      failed: 'no_execution_price_bound',
      reason: `The limit of ${price} is more than ${percent(maxBps ?? NO_BOUND_BPS)} ${side === 'buy' ? 'above' : 'below'} the ${of} of ${market.symbol}; a limit of ${text(worst)} would pass.`,
      ...(maxBps === undefined && { field: null }),
    }
  },
})

/** The worst limit that passes, ten thousand times as high as `exactly` has prices. */
function worstPrice({ side }: VenueOrder, reference: string, bps: number): bigint {
  const share = side === 'buy' ? FULL_BPS + BigInt(bps) : FULL_BPS - BigInt(bps)
  return exactly(reference) * share
}

/** As a decimal of sixteen digits behind the point, cut to what matters. */
function text(price: bigint): string {
  const digits = price.toString().padStart(17, '0')
  const fraction = digits.slice(-16).replace(/0+$/, '').slice(0, 6)
  return fraction === '' ? digits.slice(0, -16) : `${digits.slice(0, -16)}.${fraction}`
}

function percent(bps: number): string {
  return `${bps / 100} %`
}
