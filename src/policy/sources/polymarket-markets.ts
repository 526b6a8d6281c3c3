import type { Polymarket } from '../../chain/index.ts'
import { polymarketExchange } from '../../registry/index.ts'
import type { VenueMarket } from '../facts.ts'
import { isPrintable } from '../printable.ts'
import type { Source } from '../source.ts'

/** Shares have six decimals. */
const SHARE_DECIMALS = 6
/** Of a name with its market's. */
const MAX_SYMBOL_LENGTH = 400

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

/** Null where no exchange is known that would trade it, or its name cannot be shown to people. */
function described({ id, slug, outcome, mid, negRisk, fee }: Outcome): VenueMarket | null {
  const exchange = polymarketExchange(BigInt(id), negRisk)
  const symbol = `${slug}:${outcome}`
  if (exchange === undefined || !isPrintable(symbol, MAX_SYMBOL_LENGTH)) return null
  return {
    symbol,
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
