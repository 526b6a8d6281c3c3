import type { Address } from '../lib/address.ts'
import type { Asset } from './decoded-action.ts'

/**
 * One observed fact, in JSON's own types, because it is stored with the verdict that used it.
 * A source that did not answer in time, or whose answer is too old to use, is `unavailable`: never a default value.
 */
export type Fact<T> =
  | Readonly<{ status: 'fresh' | 'cached'; source: string; observedAt: string; value: T }>
  | Readonly<{ status: 'unavailable'; source: string; reason: string }>

/** Who a token says it is, and whether a bundled list says so too. */
export type TokenIdentity = Readonly<{ symbol: string; decimals: number; listed: boolean; stable: boolean }>

/**
 * A US dollar price of one whole token: a positive integer with eight decimals, as a decimal string. `pool` is what the
 * asset's deepest pool pays, where there is one: it agreed, and is never the price.
 */
export type UsdPrice = Readonly<{
  usdE8: string
  source: string
  updatedAt: string
  pool?: Readonly<{ address: Address; usdE8: string }>
}>

/**
 * What a wallet has and owes in one account that a venue keeps for it. What a perpetuals venue keeps has the same
 * shape: the notional of its positions is supplied, and what of it the margin does not cover is borrowed.
 */
export type Account = Readonly<{
  /** Venue identifier, as the legs of an action and `exposure.perProtocolUsd` name it. */
  protocol: string
  /** The contract that keeps it, or the venue's own name for it. */
  market: string
  /** By asset, in its smallest unit, as decimal strings. An asset that is absent is not in the account. */
  supplied: Readonly<Partial<Record<Asset, string>>>
  borrowed: Readonly<Partial<Record<Asset, string>>>
  /** What all of it is worth in micro-USD, as decimal strings; null where a price is missing. */
  suppliedMicroUsd: string | null
  borrowedMicroUsd: string | null
}>

/** A market of a venue that takes orders. Prices and sizes are exact decimal texts. */
export type VenueMarket = Readonly<{
  symbol: string
  /** What is held of an order: margin, all of it, or all of it with the fee of a market of outcomes. */
  kind: 'perp' | 'spot' | 'outcome'
  /** Decimals of a size. */
  sizeDecimals: number
  /** Mark price in US dollars; of an outcome halfway between what is bid and asked. */
  mark: string
  /** The leverage that the venue allows at most, and the one that is set for the account; null where none is. */
  maxLeverage: number | null
  leverage: number | null
  /** Absent where all of the account stands behind a position; else its own margin, or that of the market's dex. */
  backedBy?: 'itself' | 'dex'
  /** The contract that its orders are signed for, where the venue has several. */
  exchange?: Address
  /** What a policy may list in its place: the market that it is an outcome of. */
  group?: string
  /** For a share of an outcome the venue takes `rate` × (price × (1 − price))^`exponent` at most. */
  fee?: Readonly<{ rate: number; exponent: number }>
}>

/** An open order of the account. */
export type OpenOrder = Readonly<{
  market: string
  side: 'buy' | 'sell'
  size: string
  price: string
  reduceOnly: boolean
  cloid: string | null
}>

/** What a venue keeps for an account that trades with margin. */
export type MarginAccount = Readonly<{
  /** All of it at present prices, in micro-USD, as a decimal string; below zero where it is owed. */
  equityMicroUsd: string
  /** `size` is below zero for what was sold. */
  positions: readonly Readonly<{
    market: string
    size: string
    mark: string
    liquidation: string | null
    /** The leverage that the venue allows in the market at most: half of its margin must stay. */
    maxLeverage?: number | null
    /** Absent where all of the account stands behind it; else its own margin, or that of the dex that it is at. */
    backedBy?: 'itself' | 'dex'
  }>[]
  orders: readonly OpenOrder[]
}>

/**
 * What other approvals of the wallet may still do to its accounts, beside what was read of these. Amounts are micro-USD, as
 * decimal strings.
 */
export type Standing = Readonly<{
  /** Orders that may open more, for the account that trades. */
  orders: readonly OpenOrder[]
  /** Margin that may leave that account. */
  marginMicroUsd: string
  accounts: readonly StandingAccount[]
}>

/** What may come to an account, leave it, and be owed to it. */
export type StandingAccount = Readonly<
  Pick<Account, 'protocol' | 'market'> & {
    depositedMicroUsd: string
    withdrawnMicroUsd: string
    borrowedMicroUsd: string
  }
>

/** Everything that a verdict may rest on beside the bytes and the policy. A null entry was asked for and is not known. */
export type Facts = Readonly<{
  /** By asset. Null: in no list, and silent about `decimals` or `symbol` on chain. */
  tokens?: Fact<Readonly<Partial<Record<Asset, TokenIdentity | null>>>>
  /** By asset. Null: no source carries a price for it. */
  prices?: Fact<Readonly<Partial<Record<Asset, UsdPrice | null>>>>
  /** Addresses of the action that are sanctioned, of those screened. */
  sanctions?: Fact<Readonly<{ screened: readonly Address[]; hits: readonly Address[] }>>
  /** Micro-USD that left or is held in the 24 hours before the decision, as a decimal string. */
  outflow24h?: Fact<Readonly<{ microUsd: string }>>
  /** The wallet's accounts at venues of the action's chain: those that the action changes, and all others that are known. */
  positions?: Fact<Readonly<{ accounts: readonly Account[] }>>
  /** Markets of the action's orders, by the venue's own id. Null: the venue has none of that id. */
  markets?: Fact<Readonly<Record<string, VenueMarket | null>>>
  /** The account that the action's orders are for, at the venue that would take them. */
  margin?: Fact<MarginAccount>
  /** What else was approved for the wallet, and may not be in what was read. Absent where nothing is. */
  standing?: Fact<Standing>
}>

export type FactName = keyof Facts

/**
 * What it takes to value an asset: its decimals, and a price of one whole token with eight decimals. Undefined where
 * either is missing: a price that is not above zero is none.
 */
export function quoteOf(asset: Asset, facts: Facts): Readonly<{ decimals: number; usdE8: bigint }> | undefined {
  const token = known(facts.tokens)?.[asset]
  const price = known(facts.prices)?.[asset]
  if (!token || !price) return undefined
  const usdE8 = BigInt(price.usdE8)
  return usdE8 > 0n ? { decimals: token.decimals, usdE8 } : undefined
}

/** How far from one US dollar a coin that is meant to be worth one may be, in hundredths of a micro-USD: 2 %. */
const PEG_TOLERANCE_E8 = 2_000_000n
const DOLLAR_E8 = 100_000_000n

/** Coins that are meant to be worth one US dollar and are not, with what they are worth. */
export function offPeg(facts: Facts): readonly Readonly<{ symbol: string; usdE8: bigint }>[] {
  const prices = known(facts.prices) ?? {}
  return Object.entries(known(facts.tokens) ?? {}).flatMap(([asset, token]) => {
    const usdE8 = BigInt(prices[asset as Asset]?.usdE8 ?? DOLLAR_E8)
    const off = usdE8 > DOLLAR_E8 ? usdE8 - DOLLAR_E8 : DOLLAR_E8 - usdE8
    return token?.stable && off > PEG_TOLERANCE_E8 ? [{ symbol: token.symbol, usdE8 }] : []
  })
}

/** The value of a fact, if it was had. */
export function known<T>(fact: Fact<T> | undefined): T | undefined {
  return fact === undefined || fact.status === 'unavailable' ? undefined : fact.value
}

/** Why a fact is missing, for people. */
export function whyMissing(name: FactName, facts: Facts): string {
  const fact = facts[name]
  if (fact === undefined) return `No source of ${name} is configured.`
  return fact.status === 'unavailable' ? `${fact.source} is unavailable: ${fact.reason}` : `${fact.source} has none.`
}

/** Why the first of several facts that could not be had is missing, for people; where all were had, why the last says nothing. */
export function whyAnyMissing(names: readonly FactName[], facts: Facts): string {
  const missing = names.find((name) => facts[name]?.status === 'unavailable') ?? names.at(-1)
  return missing === undefined ? '' : whyMissing(missing, facts)
}

/** Why an amount could not be valued, for people. */
export function whyUnvalued(facts: Facts): string {
  if (facts.positions?.status === 'unavailable') return whyMissing('positions', facts)
  if (facts.markets?.status === 'unavailable') return whyMissing('markets', facts)
  return whyMissing(known(facts.tokens) ? 'prices' : 'tokens', facts)
}
