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

/** A US dollar price of one whole token: a positive integer with eight decimals, as a decimal string. */
export type UsdPrice = Readonly<{ usdE8: string; source: string; updatedAt: string }>

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

/** Why an amount could not be valued, for people. */
export function whyUnvalued(facts: Facts): string {
  return whyMissing(known(facts.tokens) ? 'prices' : 'tokens', facts)
}
