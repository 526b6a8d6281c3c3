import { type MicroUsd, parseDecimal, valueOf } from '../lib/usd.ts'
import type { PaperAmount, PaperDay, PaperFill, PaperPortfolio } from '../storage/index.ts'
import { DOLLARS, PERPS_PLACE, WALLET_PLACE } from './paper-fill.ts'
import { marketsWith } from './perps.ts'
import type { Reader } from './tool.ts'

/** US dollars of one whole unit, with eight decimals; nothing where no source knows it. */
export type PaperPrices = (one: Pick<PaperAmount, 'place' | 'asset'>) => bigint | undefined

/** What one skill, or people by chat, made of the portfolio. Micro-USD; `profit` is against not having acted. */
export type OriginProfit = Readonly<{ origin: string; fills: number; profit: MicroUsd; fees: MicroUsd; gas: MicroUsd }>

/** What a day made of it, price moves included, and what was filled on it. */
export type DayProfit = Readonly<{ day: string; worth: MicroUsd; profit: MicroUsd; fills: number }>

/** A paper portfolio at the prices of now. */
export type Statement = Readonly<{
  openedAt: number
  worth: MicroUsd
  /** What the opening holdings are worth now: what it would be had nothing been done. */
  hold: MicroUsd
  /** What they were worth at the opening. */
  start: MicroUsd
  holdings: readonly (PaperAmount & Readonly<{ worth: MicroUsd | undefined }>)[]
  origins: readonly OriginProfit[]
  /** Oldest first. */
  days: readonly DayProfit[]
}>

type Books = Readonly<{
  portfolio: PaperPortfolio
  held: readonly PaperAmount[]
  fills: readonly PaperFill[]
  days: readonly PaperDay[]
}>

/**
 * Values the books. What all holdings are worth is what the opening ones are worth now, and what each fill moved, each at
 * the prices of now: so that the profits of all origins add up to what acting was worth. What has no price counts nowhere.
 */
export function statementOf({ portfolio, held, fills, days }: Books, prices: PaperPrices): Statement {
  const worth = worthOf(held, prices)
  const byOrigin = Map.groupBy(fills, ({ origin }) => origin)
  return {
    openedAt: portfolio.openedAt,
    worth,
    hold: worthOf(portfolio.opening, prices),
    start: days[0]?.first ?? worth,
    holdings: held
      .filter(({ amount }) => amount !== 0n)
      .map((one) => ({ ...one, worth: prices(one) === undefined ? undefined : worthOf([one], prices) })),
    origins: [...byOrigin].map(([origin, own]) => ({
      origin,
      fills: own.length,
      profit: worthOf(netOf(own.flatMap(({ flows }) => flows)), prices),
      fees: sum(own.map(({ feeMicroUsd }) => feeMicroUsd)),
      gas: sum(own.map(({ gasMicroUsd }) => gasMicroUsd)),
    })),
    days: days.map(({ day, first, last }, i) => ({
      day,
      worth: last,
      profit: last - (days[i - 1]?.last ?? first),
      fills: fills.filter(({ filledAt }) => dayOf(filledAt) === day).length,
    })),
  }
}

/** Micro-USD of amounts, what is owed taken off. Rounded towards zero, each by itself. */
export function worthOf(amounts: readonly PaperAmount[], prices: PaperPrices): MicroUsd {
  return sum(
    amounts.map((one) => {
      const { place, amount, decimals } = one
      const price = prices(one)
      if (price === undefined) return 0n
      const worth = valueOf(amount < 0n ? -amount : amount, decimals, price, 'down')
      return amount < 0n !== place.startsWith('debt ') ? -worth : worth
    }),
  )
}

/** The prices of now for some amounts: of the tools' own sources, and of the venue's marks. */
export async function pricesOf(amounts: readonly PaperAmount[], reader: Reader): Promise<PaperPrices> {
  const assets = [...new Set(amounts.filter(({ place }) => place !== PERPS_PLACE).map(({ asset }) => asset))]
  const open = amounts.flatMap(({ place, asset }) => (place === PERPS_PLACE && asset !== DOLLARS.asset ? [asset] : []))
  const [markets, read] = await Promise.all([
    open.length > 0 && reader.perps ? marketsWith(open, reader.perps) : [],
    Promise.all(assets.map(async (asset) => [asset, await priceOf(asset, reader)] as const)),
  ])
  const marks = new Map(markets.map(({ symbol, mark }) => [symbol, parseDecimal(mark, 8)]))
  const prices = new Map(read)
  return ({ place, asset }) => {
    if (place !== PERPS_PLACE) return prices.get(asset)
    return asset === DOLLARS.asset ? 100_000_000n : marks.get(asset)
  }
}

/** By the token alone: what a source does not know, or cannot say now, has no price. */
async function priceOf(asset: string, reader: Reader): Promise<bigint | undefined> {
  const token = await reader.token(asset).catch(() => undefined)
  if (!token?.ok) return undefined
  const price = await reader.usdPrice(token.value).catch(() => undefined)
  return price === undefined ? undefined : BigInt(Math.round(price * 1e8))
}

/** The same amounts, those of one asset in one place as one. */
export function netOf(amounts: readonly PaperAmount[]): readonly PaperAmount[] {
  const net = new Map<string, PaperAmount>()
  for (const one of amounts) {
    const key = `${one.place}\n${one.asset}`
    net.set(key, { ...one, amount: one.amount + (net.get(key)?.amount ?? 0n) })
  }
  return [...net.values()]
}

/** YYYY-MM-DD in UTC. */
export function dayOf(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10)
}

/** Where an amount lies, for people. */
export function placeText({ place }: Pick<PaperAmount, 'place'>): string {
  if (place === WALLET_PLACE) return ''
  return place.startsWith('debt ') ? ' owed' : place === PERPS_PLACE ? ` at ${place}` : ' lent'
}

function sum(values: readonly MicroUsd[]): MicroUsd {
  return values.reduce((total, one) => total + one, 0n)
}
