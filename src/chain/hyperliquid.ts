import type { z } from 'zod'
import type { Address } from '../lib/address.ts'
import { CountersignError } from '../lib/errors.ts'
import { textWithin } from '../lib/text-within.ts'
import {
  AccountState,
  AssetSetting,
  ExchangeAnswer,
  OpenOrders,
  OrderAnswer,
  PerpDexs,
  PerpMarkets,
  SpotMarkets,
} from './hyperliquid-answers.ts'
import {
  type BuilderDex,
  type CoreMarket,
  dexNumberOf,
  isSpot,
  perpMarkets,
  spotMarkets,
} from './hyperliquid-markets.ts'
import { type Kept, kept } from './kept.ts'
import { ownBudget, type SpendWeight } from './weight-budget.ts'

/** An account that trades with margin, at the venue's own dex and at those of builders. */
export type CoreAccount = Readonly<{
  /** What it is worth, by dex; the venue's own is empty. */
  values: readonly Readonly<{ dex: string; value: string }>[]
  withdrawable: string
  positions: readonly Readonly<{
    coin: string
    size: string
    leverage: number
    margin: 'cross' | 'isolated'
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
  /**
   * Where markets are, by their ids, beside the venue's own dex: `spot`, and builders' dexes by their names. A number that
   * no dex has is nowhere.
   */
  placesOf(markets: readonly string[], signal?: AbortSignal): Promise<readonly string[]>
  /**
   * The perpetuals of the venue's own dex, and what is traded against US dollars at the places that are named; not older than
   * two seconds. A place that there is not has no markets.
   */
  markets(
    signal?: AbortSignal,
    places?: readonly string[],
  ): Promise<Readonly<{ markets: readonly CoreMarket[]; at: Date; cached: boolean }>>
  /** At the venue's own dex, at the named ones, and at all others where there is margin or a position. */
  account(user: Address, signal?: AbortSignal, dexs?: readonly string[]): Promise<CoreAccount>
  /** The leverage that is set for an account in a market of perpetuals, and whether positions there stand alone. */
  leverage(
    user: Address,
    coin: string,
    signal?: AbortSignal,
  ): Promise<Readonly<{ leverage: number; isolated: boolean }>>
  /** By the order's number, or by its maker's id. */
  order(user: Address, key: number | string, signal?: AbortSignal): Promise<CoreOrder>
  /** Sends signed bytes as they are. What is thrown leaves open whether the venue took them. */
  exchange(body: string, signal?: AbortSignal): Promise<ExchangeAnswer>
}>

/**
 * Where the venue is, and how much may be asked of it: the venue allows 1,200 a minute from one address. `spend` asks a
 * budget that processes share; without it the process has its own.
 */
export type HyperliquidSettings = Readonly<{
  url: string
  weightPerMinute: number
  now(): number
  spend?: SpendWeight | undefined
}>

const TIMEOUT_MS = 5_000
const MARKETS_MAX_AGE_MS = 2_000
const DEXS_MAX_AGE_MS = 600_000
/** The venue's own dex, and its spot markets, as its requests name them. */
const OWN = ''
const SPOT = 'spot'
const MOST_PLACES = 64
const LARGEST_ANSWER = 8_000_000
/** Weights of requests. Source: Hyperliquid's docs, "Rate limits and user limits". */
const LIGHT = 2
const HEAVY = 20

/** Asks the venue's information interface, within the budget. */
type Info = <T>(request: object, weight: number, answer: z.ZodType<T>, signal?: AbortSignal) => Promise<T>

/** A client of one of the venue's networks. */
export function createHyperliquid(settings: HyperliquidSettings): Hyperliquid {
  const { now, url, weightPerMinute, spend = ownBudget(weightPerMinute, now) } = settings
  const afford = async (weight: number) => {
    if (!(await spend(weight))) throw unavailable('may not be asked more often in a minute')
  }
  const info: Info = async (request, weight, answer, signal) => {
    await afford(weight)
    return read(await post(url, '/info', JSON.stringify(request), signal), answer)
  }
  const dexs = kept(now, DEXS_MAX_AGE_MS, async () => {
    const listed = await info({ type: 'perpDexs' }, HEAVY, PerpDexs)
    return listed.flatMap((dex, number) => (dex === null || number === 0 ? [] : [{ number, name: dex.name }]))
  })
  return {
    ...marketsOf(info, now, dexs),
    account: async (user, signal, asked = []) => {
      const names = ['', ...(await dexs(signal)).value.map(({ name }) => name)]
      return readAccount(info, user, { names, asked, signal })
    },
    async leverage(user, coin, signal) {
      const set = await info({ type: 'activeAssetData', user, coin }, HEAVY, AssetSetting, signal)
      return { leverage: set.leverage.value, isolated: set.leverage.type === 'isolated' }
    },
    async order(user, key, signal) {
      const answer = await info({ type: 'orderStatus', user, oid: key }, LIGHT, OrderAnswer, signal)
      if (answer.status === 'unknownOid') return { known: false }
      const { status, order } = answer.order
      if ((typeof key === 'string' ? order.cloid : order.oid) !== key) throw unavailable('spoke of another order')
      return { known: true, status, oid: order.oid, left: order.sz, size: order.origSz }
    },
    async exchange(body, signal) {
      await afford(1)
      return read(await post(url, '/exchange', body, signal), ExchangeAnswer)
    },
  }
}

function marketsOf(info: Info, now: () => number, dexs: Kept<readonly BuilderDex[]>) {
  async function marketsAt(place: string): Promise<readonly CoreMarket[]> {
    if (place === OWN) return marketsFrom(await info({ type: 'metaAndAssetCtxs' }, HEAVY, PerpMarkets))
    if (place === SPOT) return spotMarkets(await info({ type: 'spotMetaAndAssetCtxs' }, HEAVY, SpotMarkets))
    const dex = (await dexs()).value.find(({ name }) => name === place)
    if (dex === undefined) return []
    return marketsFrom(await info({ type: 'metaAndAssetCtxs', dex: place }, HEAVY, PerpMarkets), dex)
  }
  const known = new Map<string, Kept<readonly CoreMarket[]>>()
  const keptAt = (place: string) => {
    const found = known.get(place) ?? kept(now, MARKETS_MAX_AGE_MS, () => marketsAt(place))
    // Names come from whoever asks, and most of them are of nothing.
    if (known.size > MOST_PLACES) known.clear()
    known.set(place, found)
    return found
  }
  return {
    async placesOf(markets: readonly string[], signal?: AbortSignal) {
      const numbers = new Set(markets.flatMap((id) => dexNumberOf(id) ?? []))
      const built = numbers.size === 0 ? [] : (await dexs(signal)).value.filter(({ number }) => numbers.has(number))
      return [...(markets.some(isSpot) ? [SPOT] : []), ...built.map(({ name }) => name)]
    },
    async markets(signal?: AbortSignal, places: readonly string[] = []) {
      const parts = await Promise.all([...new Set([OWN, ...places])].map((place) => keptAt(place)(signal)))
      return {
        markets: parts.flatMap(({ value }) => value),
        at: new Date(Math.min(...parts.map(({ at }) => at))),
        cached: parts.every(({ cached }) => cached),
      }
    },
  } as const
}

type Wanted = Readonly<{ names: readonly string[]; asked: readonly string[]; signal: AbortSignal | undefined }>

/** Reads what an account has at each dex, and its orders where it may have some. */
async function readAccount(info: Info, user: Address, { names, asked, signal }: Wanted): Promise<CoreAccount> {
  const at = (dex: string) => (dex === OWN ? {} : { dex })
  const statesOf = (dexs: readonly string[]) =>
    Promise.all(
      dexs.map(async (dex) => {
        const request = { type: 'clearinghouseState', user, ...at(dex) }
        return { dex, state: await info(request, LIGHT, AccountState, signal) }
      }),
    )
  const states = await statesOf(names)
  const used = states
    .filter(({ dex, state }) => dex === OWN || asked.includes(dex) || hasSomething(state))
    .map(({ dex }) => dex)
  const orders = await Promise.all(
    used.map((dex) => info({ type: 'frontendOpenOrders', user, ...at(dex) }, HEAVY, OpenOrders, signal)),
  )
  // Once more: what was filled before its orders were read counts, and what is filled meanwhile counts twice.
  return accountFrom(await statesOf(used), orders.flat())
}

function marketsFrom(answer: z.output<typeof PerpMarkets>, dex?: BuilderDex): readonly CoreMarket[] {
  const markets = perpMarkets(answer, dex)
  if (markets === undefined) throw unavailable('gave prices for other markets')
  return markets
}

type State = z.output<typeof AccountState>

/** Margin or a position. */
function hasSomething({ marginSummary, assetPositions }: State): boolean {
  return assetPositions.length > 0 || /[1-9]/.test(marginSummary.accountValue)
}

function accountFrom(
  used: readonly Readonly<{ dex: string; state: State }>[],
  orders: z.output<typeof OpenOrders>,
): CoreAccount {
  return {
    values: used.map(({ dex, state }) => ({ dex, value: state.marginSummary.accountValue })),
    withdrawable: used[0]?.state.withdrawable ?? '0',
    positions: used
      .flatMap(({ state }) => state.assetPositions)
      .map(({ position }) => ({
        coin: position.coin,
        size: position.szi,
        leverage: position.leverage.value,
        margin: position.leverage.type === 'isolated' ? ('isolated' as const) : ('cross' as const),
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

async function post(url: string, path: string, body: string, signal?: AbortSignal): Promise<unknown> {
  const limit = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      redirect: 'error',
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    })
    const text = await textWithin(response, LARGEST_ANSWER)
    if (response.ok && text !== undefined) return JSON.parse(text)
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
