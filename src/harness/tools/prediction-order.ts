import { z } from 'zod'
import { ok, type Result, refuse } from '../../lib/result.ts'
import {
  type OutcomeTerms,
  predictionOrder as orderFor,
  outcomeNamed,
  predictionsOf,
  textOf,
  tickPrice,
  unitsIn,
  wireShares,
} from '../predictions.ts'
import { defineActionTool } from '../tool.ts'

const FULL_BPS = 10_000
/** The venue lets a dated order end a minute before it says. */
const GRACE_S = 60

const Decimal = z.string().regex(/^\d{1,12}(\.\d{1,18})?$/, 'expected a decimal number as text')

/** Buys or sells shares in an outcome. */
export const predictionOrder = defineActionTool({
  name: 'prediction_order',
  description:
    'Proposes to buy or sell shares in an outcome at Polymarket; a share pays 1 US dollar if the outcome comes true. Without a price it fills at once as far as it can, up to the bound that the policy sets around the mid price.',
  input: z.strictObject({
    market: z.string().min(1).max(256).describe('Name of the market, like "will-it-rain-tomorrow".'),
    outcome: z.string().min(1).max(80).describe('Name of the outcome, like "Yes".'),
    side: z.enum(['buy', 'sell']),
    shares: Decimal.describe('Number of shares as text, like "20".'),
    price: Decimal.optional().describe('Limit price of a share in US dollars as text, from 0 to 1, like "0.53".'),
    fill: z
      .enum(['rest', 'all-or-nothing', 'what-there-is'])
      .optional()
      .describe('rest stands in the book; the others fill at once. By default an order with a price rests.'),
    minutes: z.int().min(1).max(43_200).optional().describe('How long it may rest; until it is cancelled by default.'),
  }),
  async propose({ market, outcome, side, shares: text, price, fill, minutes }, context) {
    const predictions = predictionsOf(context)
    if (!predictions.ok) return predictions
    const terms = await outcomeNamed(predictions.value, market, outcome)
    if (!terms.ok) return terms
    const resting = fill === 'rest' || (fill === undefined && price !== undefined)
    if (minutes !== undefined && !resting) return refuse('Only an order that rests has minutes.')
    if (resting && price === undefined) return refuse('An order that rests needs a price.')
    const shares = wireShares(text, terms.value.minSize)
    if (!shares.ok) return shares
    const share = (await predictions.value.boundBps()) / FULL_BPS
    const limit =
      price === undefined ? boundedPrice(terms.value, side, share) : tickPrice(unitsIn(price), terms.value.tick, side)
    if (!limit.ok) return limit
    const now = context.now()
    const expiration = minutes === undefined ? 0 : Math.floor(now.getTime() / 1000) + minutes * 60 + GRACE_S
    const dated = minutes === undefined ? 'GTC' : 'GTD'
    const orderType = resting ? dated : fill === 'all-or-nothing' ? 'FOK' : 'FAK'
    const wanted = { side, price: limit.value, shares: shares.value, orderType, expiration } as const
    const tx = orderFor(terms.value, wanted, { account: predictions.value.account, now })
    if (!tx.ok) return tx
    const verb = side === 'buy' ? 'Buy' : 'Sell'
    const summary = `${verb} ${textOf(shares.value)} shares of ${terms.value.outcome} in ${market} at ${textOf(limit.value)} or better`
    return ok({ steps: [{ summary, tx: tx.value }] })
  },
})

/** The farthest price that the bound leaves; refused where nothing would be filled at it. */
function boundedPrice({ mid, bid, ask, tick }: OutcomeTerms, side: 'buy' | 'sell', share: number): Result<bigint> {
  const farthest = BigInt(Math.floor(Number(unitsIn(mid)) * (side === 'buy' ? 1 + share : 1 - share)))
  const price = tickPrice(farthest, tick, side)
  if (!price.ok) return price
  const best = side === 'buy' ? ask : bid
  const reached = side === 'buy' ? price.value >= unitsIn(best) : price.value <= unitsIn(best)
  if (reached) return price
  return refuse(
    `The best price is ${best}, and the policy allows none beyond ${textOf(price.value)} around the mid of ${mid}. An order with a price can rest.`,
  )
}
