import type { z } from 'zod'
import type { PerpMarkets, SpotMarkets } from './hyperliquid-answers.ts'

/** A market of Hyperliquid by its number in orders. Prices are decimal texts in US dollars. */
export type CoreMarket = Readonly<{
  id: string
  /** As accounts and open orders name it; of a spot pair the venue's own name. */
  coin: string
  symbol: string
  kind: 'perp' | 'spot'
  /** The builder's dex that it is of; empty for the venue's own. */
  dex: string
  sizeDecimals: number
  mark: string
  maxLeverage: number | null
}>

/** A dex of perpetuals that somebody else than the venue runs on it, by its number in the ids of its markets. */
export type BuilderDex = Readonly<{ number: number; name: string }>

/** Where ids of kinds of markets begin. Source: Hyperliquid's docs, "Asset IDs". */
const FIRST_SPOT = 10_000
const FIRST_BUILDER = 100_000
const PER_BUILDER = 10_000
const FIRST_OUTCOME = 100_000_000
/** The token that margin is in where it is dollars. */
const USDC = 0

/** The number of the builder's dex that a market's id is of; nothing for the venue's own markets. */
export function dexNumberOf(id: string): number | undefined {
  const number = Number(id)
  if (number < FIRST_BUILDER || number >= FIRST_OUTCOME) return undefined
  return Math.floor((number - FIRST_BUILDER) / PER_BUILDER)
}

/** Whether a market's id is one of a pair of tokens. */
export function isSpot(id: string): boolean {
  return Number(id) >= FIRST_SPOT && Number(id) < FIRST_BUILDER
}

/** Markets of perpetuals of the venue, or of a builder's dex: none where its margin is not in dollars, or prices do not match. */
export function perpMarkets(
  [{ universe, collateralToken = USDC }, prices]: z.output<typeof PerpMarkets>,
  dex: BuilderDex | undefined,
): readonly CoreMarket[] | undefined {
  if (universe.length !== prices.length) return undefined
  if (collateralToken !== USDC) return []
  const first = dex === undefined ? 0 : FIRST_BUILDER + dex.number * PER_BUILDER
  return universe.flatMap(({ name, szDecimals: sizeDecimals, maxLeverage, isDelisted }, i) => {
    const mark = prices[i]?.markPx
    if (isDelisted || mark === undefined || !isPrice(mark)) return []
    // Every builder chooses names: one without the dex's own would pass for a market of the venue.
    if (dex !== undefined && !name.startsWith(`${dex.name}:`)) return []
    const market = { id: String(first + i), coin: name, symbol: name, kind: 'perp' as const, dex: dex?.name ?? '' }
    return [{ ...market, sizeDecimals, mark, maxLeverage }]
  })
}

/**
 * Pairs against US dollars alone: what others are worth no price says. Anybody may call a token as another is called: pairs
 * of such tokens have the venue's own names as their symbols.
 */
export function spotMarkets([{ tokens, universe }, prices]: z.output<typeof SpotMarkets>): readonly CoreMarket[] {
  const byIndex = new Map(tokens.map((token) => [token.index, token]))
  const byName = Map.groupBy(tokens, ({ name }) => name)
  const marks = new Map(prices.map(({ coin, markPx }) => [coin, markPx]))
  return universe.flatMap(({ name: coin, tokens: [base, quote], index }) => {
    const token = byIndex.get(base)
    const mark = marks.get(coin)
    if (quote !== USDC || token === undefined || mark === undefined || !isPrice(mark)) return []
    const symbol = byName.get(token.name)?.length === 1 ? `${token.name}/USDC` : coin
    const market = { id: String(FIRST_SPOT + index), coin, symbol, kind: 'spot' as const, dex: '' }
    return [{ ...market, sizeDecimals: token.szDecimals, mark, maxLeverage: null }]
  })
}

function isPrice(text: string): boolean {
  return !text.startsWith('-') && /[1-9]/.test(text)
}
