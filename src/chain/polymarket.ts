import type { Address } from '../lib/address.ts'
import { type Kept, kept } from './kept.ts'
import {
  Book,
  DescribedMarket,
  Holdings,
  ListedMarket,
  MarketList,
  MarketOfToken,
  SearchAnswer,
  TradedMarket,
} from './polymarket-answers.ts'
import { ask, readAnswer, unavailable } from './polymarket-http.ts'

/** One outcome of a market, which is one token. Prices are decimal texts in US dollars, sizes in shares. */
export type OutcomeMarket = Readonly<{
  /** The token's id, in decimal digits. */
  id: string
  slug: string
  question: string
  outcome: string
  /** Whether its market is one of several that exclude each other: those have an exchange of their own. */
  negRisk: boolean
  /** Step of prices. */
  tick: string
  minSize: string
  /** The venue's fee for a share is at most `rate` × (price × (1 − price))^`exponent`. */
  fee: Readonly<{ rate: number; exponent: number }>
  bid: string
  ask: string
  /** Halfway between them. */
  mid: string
}>

/** A market as it is found by words: its outcomes, each with its token and last price. */
export type FoundMarket = Readonly<{
  slug: string
  question: string
  outcomes: readonly Readonly<{ outcome: string; id: string; price: string }>[]
}>

/** The venue's public interfaces. Everything throws `CountersignError` `unavailable` where the venue does not answer. */
export type Polymarket = Readonly<{
  /** An outcome by its token's id, not older than two seconds; null where the venue has none of it. */
  market(
    id: string,
    signal?: AbortSignal,
  ): Promise<Readonly<{ market: OutcomeMarket | null; at: Date; cached: boolean }>>
  /** Open markets that words are found in. */
  search(words: string): Promise<readonly FoundMarket[]>
  /** An open market by its name in the venue's addresses. */
  listed(slug: string): Promise<FoundMarket | undefined>
  /** What an account has of each outcome, at its last price. */
  holdings(
    user: Address,
    signal?: AbortSignal,
  ): Promise<readonly Readonly<{ id: string; size: string; price: string }>[]>
}>

/** Where the venue is: its order books, its list of markets, its records of accounts. */
export type PolymarketSettings = Readonly<{ url: string; marketsUrl: string; dataUrl: string; now(): number }>

const MARKET_MAX_AGE_MS = 2_000
const MOST_CACHED = 500
const PRICE_DECIMALS = 12
const PAGE = 500
const MOST_PAGES = 4
const MOST_FOUND = 20

/** A client of the venue's public interfaces. */
export function createPolymarket(settings: PolymarketSettings): Polymarket {
  const { url, marketsUrl, dataUrl, now } = settings
  const latest = new Map<string, Kept<OutcomeMarket | null>>()
  return {
    async market(id, signal) {
      const known = latest.get(id) ?? kept(now, MARKET_MAX_AGE_MS, () => readMarket(url, id))
      if (latest.size >= MOST_CACHED) latest.clear()
      latest.set(id, known)
      const { value: market, at, cached } = await known(signal)
      return { market, at: new Date(at), cached }
    },
    async search(words) {
      const query = { q: words, limit_per_type: '10', events_status: 'active' }
      const { status, body } = await ask({ url: marketsUrl, path: '/public-search', query })
      if (status !== 200) throw unavailable('did not search')
      const { events } = readAnswer(body, SearchAnswer)
      return (events ?? []).flatMap(({ markets }) => foundIn(markets ?? [])).slice(0, MOST_FOUND)
    },
    async listed(slug) {
      const { status, body } = await ask({ url: marketsUrl, path: '/markets', query: { slug } })
      if (status === 404) return undefined
      if (status !== 200) throw unavailable('did not list the market')
      return foundIn(readAnswer(body, MarketList)).find((market) => market.slug === slug)
    },
    async holdings(user, signal) {
      const all: { id: string; size: string; price: string }[] = []
      for (let page = 0; page < MOST_PAGES; page++) {
        const query = { user, sizeThreshold: '0', limit: String(PAGE), offset: String(page * PAGE) }
        const { status, body } = await ask({ url: dataUrl, path: '/positions', query, signal })
        if (status !== 200) throw unavailable('did not say what the account has')
        const items = readAnswer(body, Holdings)
        for (const { asset: id, size, curPrice } of items)
          all.push({ id, size: decimal(size), price: decimal(curPrice) })
        if (items.length < PAGE) return all
      }
      throw unavailable('lists more positions than are read')
    },
  }
}

/** What four answers say of a token. They must agree: one that contradicts another says nothing. */
async function readMarket(url: string, id: string): Promise<OutcomeMarket | null> {
  const owner = await ask({ url, path: `/markets-by-token/${id}` })
  if (owner.status === 404) return null
  if (owner.status !== 200) throw unavailable('did not say whose token it is')
  const { condition_id: condition } = readAnswer(owner.body, MarketOfToken)
  const [traded, described, book] = await Promise.all([
    required({ url, path: `/clob-markets/${condition}` }, TradedMarket),
    required({ url, path: `/markets/${condition}` }, DescribedMarket),
    required({ url, path: '/book', query: { token_id: id } }, Book),
  ])
  const outcome = traded.t.find((one) => one.t === id)?.o
  const agree =
    outcome !== undefined &&
    described.tokens.find((one) => one.token_id === id)?.outcome === outcome &&
    same(described.condition_id, condition) &&
    same(book.market, condition) &&
    book.asset_id === id &&
    Number(book.tick_size) === traded.mts &&
    book.neg_risk === (traded.nr ?? false)
  if (!agree) throw unavailable('contradicts itself about the market')
  if (traded.ao === false) throw unavailable('takes no orders in the market')
  return {
    id,
    slug: described.market_slug,
    question: described.question,
    outcome,
    negRisk: book.neg_risk,
    tick: book.tick_size,
    minSize: book.min_order_size,
    fee: { rate: traded.fd?.r ?? 0, exponent: traded.fd?.e ?? 0 },
    ...pricesOf(book),
  }
}

async function required<T>(
  request: Parameters<typeof ask>[0],
  schema: Parameters<typeof readAnswer<T>>[1],
): Promise<T> {
  const { status, body } = await ask(request)
  if (status !== 200) throw unavailable('did not describe the market')
  return readAnswer(body, schema)
}

/** The best prices, whatever the order of the levels. A market that nobody bids or asks in has none. */
function pricesOf({ bids, asks }: Readonly<Record<'bids' | 'asks', readonly Readonly<{ price: string }>[]>>) {
  const prices = (levels: readonly Readonly<{ price: string }>[]) => levels.map(({ price }) => scaled(price))
  const bid = prices(bids).reduce((best, price) => (price > best ? price : best), 0n)
  const ask = prices(asks).reduce((best, price) => (price < best ? price : best), scaled('1'))
  if (bid <= 0n || ask >= scaled('1') || bid >= ask) throw unavailable('has no price for the market')
  // Halved exactly: prices have fewer decimals than are counted in.
  return { bid: text(bid), ask: text(ask), mid: text((bid + ask) / 2n) }
}

function foundIn(markets: readonly unknown[]): readonly FoundMarket[] {
  return markets.flatMap((market) => {
    const parsed = ListedMarket.safeParse(market)
    if (!parsed.success || parsed.data.closed === true) return []
    const { slug, question, outcomes, outcomePrices, clobTokenIds } = parsed.data
    if (outcomes.length !== clobTokenIds.length || outcomes.length !== outcomePrices.length) return []
    const listed = outcomes.map((outcome, i) => ({
      outcome,
      id: clobTokenIds[i] ?? '',
      price: outcomePrices[i] ?? '',
    }))
    return [{ slug, question, outcomes: listed }]
  })
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

function scaled(price: string): bigint {
  const [whole = '', fraction = ''] = price.split('.')
  return BigInt(whole + fraction.slice(0, PRICE_DECIMALS).padEnd(PRICE_DECIMALS, '0'))
}

function text(price: bigint): string {
  const digits = price.toString().padStart(PRICE_DECIMALS + 1, '0')
  return `${digits.slice(0, -PRICE_DECIMALS)}.${digits.slice(-PRICE_DECIMALS)}`.replace(/\.?0+$/, '')
}

/** A number of the data interface as a decimal text, which has six decimals. */
function decimal(value: number): string {
  return value.toFixed(6)
}
