import type { z } from 'zod'
import type { Address } from '../lib/address.ts'
import { CountersignError } from '../lib/errors.ts'
import {
  AccountState,
  AssetSetting,
  ExchangeAnswer,
  OpenOrders,
  OrderAnswer,
  PerpMarkets,
  SpotMarkets,
} from './hyperliquid-answers.ts'

/** A market of Hyperliquid by its number in orders. Prices are decimal texts in US dollars. */
export type CoreMarket = Readonly<{
  id: string
  /** As accounts and open orders name it; of a spot pair the venue's own name. */
  coin: string
  symbol: string
  kind: 'perp' | 'spot'
  sizeDecimals: number
  mark: string
  maxLeverage: number | null
}>

/** An account that trades with margin. */
export type CoreAccount = Readonly<{
  accountValue: string
  withdrawable: string
  positions: readonly Readonly<{
    coin: string
    size: string
    leverage: number
    entry: string | null
    profit: string
    liquidation: string | null
  }>[]
  orders: readonly Readonly<{
    coin: string
    side: 'buy' | 'sell'
    size: string
    price: string
    oid: number
    reduceOnly: boolean
    cloid: string | null
  }>[]
}>

/** What the venue says of an order: its own word, or that it has none. */
export type CoreOrder =
  | Readonly<{ known: false }>
  | Readonly<{ known: true; status: string; oid: number; left: string; size: string }>

/** The venue's two interfaces. Everything throws `CountersignError` `unavailable` where the venue does not answer. */
export type Hyperliquid = Readonly<{
  /** All markets of perpetuals and pairs against US dollars, not older than two seconds. */
  markets(signal?: AbortSignal): Promise<Readonly<{ markets: readonly CoreMarket[]; at: Date; cached: boolean }>>
  account(user: Address, signal?: AbortSignal): Promise<CoreAccount>
  /** The leverage that is set for an account in a market of perpetuals. */
  leverage(user: Address, coin: string, signal?: AbortSignal): Promise<number>
  /** By the order's number, or by its maker's id. */
  order(user: Address, key: number | string, signal?: AbortSignal): Promise<CoreOrder>
  /** Sends signed bytes as they are. What is thrown leaves open whether the venue took them. */
  exchange(body: string, signal?: AbortSignal): Promise<ExchangeAnswer>
}>

/** Where the venue is, and how much may be asked of it: the venue allows 1,200 a minute from one address. */
export type HyperliquidSettings = Readonly<{ url: string; weightPerMinute: number; now(): number }>

const TIMEOUT_MS = 5_000
const MARKETS_MAX_AGE_MS = 2_000
const LARGEST_ANSWER = 8_000_000
const FIRST_SPOT = 10_000
/** Weights of requests. Source: Hyperliquid's docs, "Rate limits and user limits". */
const LIGHT = 2
const HEAVY = 20

/** A client of one of the venue's networks. */
export function createHyperliquid(settings: HyperliquidSettings): Hyperliquid {
  const { now } = settings
  const spend = budget(settings)
  const info = async <T>(request: object, weight: number, answer: z.ZodType<T>, signal?: AbortSignal): Promise<T> => {
    spend(weight)
    return read(await post(settings.url, '/info', JSON.stringify(request), signal), answer)
  }
  let latest: Readonly<{ at: number; markets: Promise<readonly CoreMarket[]> }> | undefined

  async function readMarkets(signal?: AbortSignal): Promise<readonly CoreMarket[]> {
    const [perps, spots] = await Promise.all([
      info({ type: 'metaAndAssetCtxs' }, HEAVY, PerpMarkets, signal),
      info({ type: 'spotMetaAndAssetCtxs' }, HEAVY, SpotMarkets, signal),
    ])
    return [...perpMarkets(perps), ...spotMarkets(spots)]
  }

  return {
    async markets(signal) {
      const known = latest
      if (known !== undefined && now() - known.at < MARKETS_MAX_AGE_MS)
        return { markets: await known.markets, at: new Date(known.at), cached: true }
      const asked = { at: now(), markets: readMarkets(signal) }
      latest = asked
      try {
        return { markets: await asked.markets, at: new Date(asked.at), cached: false }
      } catch (thrown) {
        if (latest === asked) latest = undefined
        throw thrown
      }
    },
    async account(user, signal) {
      const [state, orders] = await Promise.all([
        info({ type: 'clearinghouseState', user }, LIGHT, AccountState, signal),
        info({ type: 'frontendOpenOrders', user }, HEAVY, OpenOrders, signal),
      ])
      return accountFrom(state, orders)
    },
    async leverage(user, coin, signal) {
      return (await info({ type: 'activeAssetData', user, coin }, HEAVY, AssetSetting, signal)).leverage.value
    },
    async order(user, key, signal) {
      const answer = await info({ type: 'orderStatus', user, oid: key }, LIGHT, OrderAnswer, signal)
      if (answer.status === 'unknownOid') return { known: false }
      const { status, order } = answer.order
      if (typeof key === 'string' && order.cloid !== key) throw unavailable('spoke of another order')
      return { known: true, status, oid: order.oid, left: order.sz, size: order.origSz }
    },
    async exchange(body, signal) {
      spend(1)
      return read(await post(settings.url, '/exchange', body, signal), ExchangeAnswer)
    },
  }
}

function perpMarkets([{ universe }, prices]: z.output<typeof PerpMarkets>): readonly CoreMarket[] {
  if (universe.length !== prices.length) throw unavailable('gave prices for other markets')
  return universe.flatMap(({ name, szDecimals, maxLeverage, isDelisted }, i) => {
    const mark = prices[i]?.markPx
    if (isDelisted || mark === undefined || !isPrice(mark)) return []
    return [
      { id: String(i), coin: name, symbol: name, kind: 'perp' as const, sizeDecimals: szDecimals, mark, maxLeverage },
    ]
  })
}

/** Pairs against US dollars alone: what others are worth no price says. */
function spotMarkets([{ tokens, universe }, prices]: z.output<typeof SpotMarkets>): readonly CoreMarket[] {
  const byIndex = new Map(tokens.map((token) => [token.index, token]))
  const marks = new Map(prices.map(({ coin, markPx }) => [coin, markPx]))
  return universe.flatMap(({ name, tokens: [base, quote], index }) => {
    const token = byIndex.get(base)
    const mark = marks.get(name)
    if (quote !== 0 || token === undefined || mark === undefined || !isPrice(mark)) return []
    const symbol = `${token.name}/USDC`
    const id = String(FIRST_SPOT + index)
    return [{ id, coin: name, symbol, kind: 'spot' as const, sizeDecimals: token.szDecimals, mark, maxLeverage: null }]
  })
}

function isPrice(text: string): boolean {
  return !text.startsWith('-') && /[1-9]/.test(text)
}

function accountFrom(state: z.output<typeof AccountState>, orders: z.output<typeof OpenOrders>): CoreAccount {
  return {
    accountValue: state.marginSummary.accountValue,
    withdrawable: state.withdrawable,
    positions: state.assetPositions.map(({ position }) => ({
      coin: position.coin,
      size: position.szi,
      leverage: position.leverage.value,
      entry: position.entryPx ?? null,
      profit: position.unrealizedPnl,
      liquidation: position.liquidationPx ?? null,
    })),
    orders: orders.map(({ coin, side, limitPx, sz, oid, reduceOnly = false, cloid = null }) => ({
      coin,
      side: side === 'B' ? ('buy' as const) : ('sell' as const),
      size: sz,
      price: limitPx,
      oid,
      reduceOnly,
      cloid,
    })),
  }
}

/** Refuses what would be more than the budget of the last minute, instead of being shut out by the venue. */
function budget({ weightPerMinute, now }: HyperliquidSettings): (weight: number) => void {
  let left = weightPerMinute
  let at = now()
  return (weight) => {
    const time = now()
    left = Math.min(weightPerMinute, left + ((time - at) / 60_000) * weightPerMinute)
    at = time
    if (left < weight) throw unavailable('may not be asked more often in a minute')
    left -= weight
  }
}

async function post(url: string, path: string, body: string, signal?: AbortSignal): Promise<unknown> {
  const limit = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetch(new URL(path, url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      redirect: 'error',
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    })
    const text = await response.text()
    if (response.ok && text.length <= LARGEST_ANSWER) return JSON.parse(text)
  } catch {
    // What is thrown here names the address, which is nobody's to read.
    throw unavailable('did not answer')
  }
  throw unavailable('did not answer as it should')
}

function read<T>(answer: unknown, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(answer)
  if (parsed.success) return parsed.data
  throw unavailable('gave an answer that cannot be read')
}

function unavailable(what: string): CountersignError {
  return new CountersignError('unavailable', `Hyperliquid ${what}.`)
}
