import type { Polymarket } from '../../chain/index.ts'
import { polymarketExchange } from '../../registry/index.ts'
import type { VenueMarket } from '../facts.ts'
import type { Source } from '../source.ts'

/** Shares have six decimals. */
const SHARE_DECIMALS = 6

/** The outcomes that an action's orders are for: what each stands for, where it is traded, its price and its fee. */
export function polymarketMarkets(venue: Pick<Polymarket, 'market'>): Source<'markets'> {
  return {
    id: 'polymarket-markets',
    fact: 'markets',
    venue: 'polymarket',
    timeoutMs: 8_000,
    async ask({ venue: asked, signal }) {
      const answers = await Promise.all(
        (asked?.markets ?? []).map(async (id) => ({ id, ...(await venue.market(id, signal)) })),
      )
      const value = Object.fromEntries(answers.map(({ id, market }) => [id, market && described(market)]))
      const observedAt = new Date(Math.min(Date.now(), ...answers.map(({ at }) => at.getTime())))
      return { value, observedAt, cached: answers.some(({ cached }) => cached) }
    },
  }
}

type Outcome = NonNullable<Awaited<ReturnType<Polymarket['market']>>['market']>

/** Null where no exchange is known that would trade it. */
function described({ id, slug, outcome, mid, negRisk, fee }: Outcome): VenueMarket | null {
  const exchange = polymarketExchange(BigInt(id), negRisk)
  if (exchange === undefined) return null
  return {
    symbol: `${slug}:${outcome}`,
    group: slug,
    kind: 'outcome',
    sizeDecimals: SHARE_DECIMALS,
    mark: mid,
    maxLeverage: null,
    leverage: null,
    exchange,
    fee,
  }
}
