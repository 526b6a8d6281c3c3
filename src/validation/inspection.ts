import type { Address } from '../lib/address.ts'
import type { Result } from '../lib/result.ts'
import type { ProposedTx } from '../schema/action.ts'
import type { DecodedLeg } from '../schema/decoded-action.ts'

/** A fact that was had, or why it was not. */
export type Known<T> = Readonly<{ value: T }> | Readonly<{ missing: string }>

/** Who a token says it is. `listed`: a bundled list says so of this address. */
export type TokenIdentity = Readonly<{ symbol: string; decimals: number; listed: boolean }>

/** What an action does, and the facts about what it touches. A null entry was asked for and is not known. */
export type Inspection = Readonly<{
  protocol: string
  chainId: number
  wallet: Address
  target: Address | null
  selector: string | null
  /** What a batch calls in turn; absent where nothing is nested. */
  calls?: readonly Readonly<{ target: Address; selector: string | null }>[]
  legs: readonly DecodedLeg[]
  /** By asset: a token's address, or `native`. */
  tokens: Known<Readonly<Record<string, TokenIdentity | null>>>
  /** US dollars of one whole token with eight decimals, by asset. */
  prices: Known<Readonly<Record<string, bigint | null>>>
  /** What the market of an order is at, by the venue's own id of the market: a decimal text, in the unit of its limit. */
  marks: Known<Readonly<Record<string, string | null>>>
  sanctions: Known<Readonly<{ screened: number; hits: readonly Address[] }>>
}>

/** Somebody's holding of a token. */
export type Holding = Readonly<{ asset: Address; holder: Address }>

/** A transfer by a holder to somebody who has nothing to do with it, to see what arrives. Smallest units. */
export type Probe = Holding & Readonly<{ amount: bigint }>

/** Steps of a wallet to run after each other, the holdings to watch over all of them, and transfers to try behind them. */
export type Trial = Readonly<{
  txs: readonly ProposedTx[]
  wallet: Address
  watched: readonly Holding[]
  probes: readonly Probe[]
}>

/** What came of a trial. A null list is one that the node cannot give. */
export type Simulated = Readonly<{
  /** How many of the steps were run: a node may be able to run the first alone. */
  steps: number
  /** The first step that fails, counted from 0. */
  failed: Readonly<{ step: number; reason: string }> | null
  /** What each watched holding changes by; null where the token does not say. */
  changes: readonly (bigint | null)[] | null
  /** What arrives of each probe. */
  arrivals: readonly Result<bigint>[] | null
  /** How far below the price before them the trades in pools are filled, in basis points; null where a pool does not say. */
  pools: readonly Readonly<{ pool: string; impactBps: number | null }>[] | null
}>

/** What the validator asks of the world; whoever builds it hands them in. */
export type Surroundings = Readonly<{
  /** Decodes an action and gathers what is known of it. A refusal says what was not understood. */
  inspect(tx: ProposedTx, wallet: Address): Promise<Result<Inspection>>
  /** What the wallet holds of an asset, in its smallest unit; undefined where no node is set. */
  balanceOf(chainId: number, wallet: Address, asset: string): Promise<bigint | undefined>
  /** Runs steps after each other on a node of their chain, without sending them; undefined where none is set. */
  simulate(trial: Trial): Promise<Simulated | undefined>
  /** The model that semantic nodes ask; undefined where none is configured. */
  model: Model | undefined
  now(): Date
}>

/** A model that answers a question with text. */
export type Model = Readonly<{
  ask(question: Readonly<{ system: string; user: string; signal: AbortSignal }>): Promise<string>
}>
