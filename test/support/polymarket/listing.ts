// What the stand-in tells everybody: its markets, their books, and what accounts have.
import type { createBook, StandInMarket } from './book.ts'

/** An answer over HTTP. */
export type Answer = Readonly<{ status: number; body: unknown }>

export const UNIT = 1_000_000

/** An answer that says what was asked for. */
export const ok = (body: unknown): Answer => ({ status: 200, body })

/** A refusal, in the venue's form. */
export const refused = (error: string, status = 400): Answer => ({ status, body: { error } })

/** The interfaces that need no key. */
export function createListing(markets: readonly StandInMarket[], book: ReturnType<typeof createBook>) {
  return { publicAnswer }

  function publicAnswer(path: string, query: URLSearchParams): Answer | undefined {
    if (path.startsWith('/markets-by-token/')) {
      const market = book.marketOf(path.slice('/markets-by-token/'.length))
      if (market === undefined) return refused('market not found', 404)
      const [first, second] = market.outcomes
      const tokens = { primary_token_id: first?.id, secondary_token_id: second?.id }
      return ok({ condition_id: market.condition, ...tokens })
    }
    const market = markets.find(({ condition }) => path.endsWith(`/${condition}`))
    if (path.startsWith('/clob-markets/') && market)
      return ok({
        c: market.condition,
        t: market.outcomes.map(({ id, name }) => ({ t: id, o: name })),
        mts: Number(market.tick),
        nr: market.negRisk,
        ao: market.accepting,
        mos: Number(market.minSize),
        fd: { ...market.fee, to: true },
        r: null,
      })
    if (path.startsWith('/markets/') && market)
      return ok({
        condition_id: market.condition,
        question: market.question,
        market_slug: market.slug,
        accepting_orders: market.accepting,
        tokens: market.outcomes.map(({ id, name }) => ({ token_id: id, outcome: name, price: 0.5, winner: false })),
      })
    if (path === '/book') return bookAnswer(query.get('token_id') ?? '')
    if (path === '/markets') return ok(markets.filter(({ slug }) => slug === query.get('slug')).map(listed))
    if (path === '/public-search') {
      const words = (query.get('q') ?? '').toLowerCase()
      return ok({ events: [{ markets: markets.filter(({ question }) => question.includes(words)).map(listed) }] })
    }
    if (path !== '/positions') return undefined
    const held = [...book.accountOf((query.get('user') ?? '').toLowerCase()).shares]
    return ok(held.map(([asset, shares]) => ({ asset, size: shares / UNIT, curPrice: midOf(asset) })))
  }

  function bookAnswer(token: string): Answer {
    const [outcome, market] = [book.outcomeOf(token), book.marketOf(token)]
    if (!outcome || !market) return refused('No orderbook exists for the requested token id', 404)
    const levels = (list: typeof outcome.bids) =>
      list
        .filter(({ shares }) => shares > 0)
        .map(({ price, shares }) => ({ price: String(price), size: String(shares / UNIT) }))
    const { condition, tick, minSize, negRisk } = market
    const prices = { bids: levels(outcome.bids), asks: levels(outcome.asks) }
    const about = { market: condition, asset_id: token, timestamp: String(Date.now()), hash: '0'.repeat(40) }
    return ok({
      ...about,
      ...prices,
      min_order_size: minSize,
      tick_size: tick,
      neg_risk: negRisk,
      last_trade_price: '0.5',
    })
  }

  function midOf(token: string): number {
    const outcome = book.outcomeOf(token)
    return ((outcome?.bids[0]?.price ?? 0) + (outcome?.asks[0]?.price ?? 0)) / 2
  }

  function listed({ slug, question, outcomes, negRisk, condition }: StandInMarket) {
    return {
      id: '1',
      slug,
      question,
      conditionId: condition,
      negRisk,
      closed: false,
      outcomes: JSON.stringify(outcomes.map(({ name }) => name)),
      outcomePrices: JSON.stringify(outcomes.map(({ id }) => String(midOf(id)))),
      clobTokenIds: JSON.stringify(outcomes.map(({ id }) => id)),
    }
  }
}
