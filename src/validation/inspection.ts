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
  legs: readonly DecodedLeg[]
  /** By asset: a token's address, or `native`. */
  tokens: Known<Readonly<Record<string, TokenIdentity | null>>>
  /** US dollars of one whole token with eight decimals, by asset. */
  prices: Known<Readonly<Record<string, bigint | null>>>
  sanctions: Known<Readonly<{ screened: number; hits: readonly Address[] }>>
}>

/** What the validator asks of the world; whoever builds it hands them in. */
export type Surroundings = Readonly<{
  /** Decodes an action and gathers what is known of it. A refusal says what was not understood. */
  inspect(tx: ProposedTx, wallet: Address): Promise<Result<Inspection>>
  /** What the wallet holds of an asset, in its smallest unit; undefined where no node is set. */
  balanceOf(chainId: number, wallet: Address, asset: string): Promise<bigint | undefined>
  /** Whether the steps would run, on a node of their chain; undefined where none is set. */
  simulate(txs: readonly ProposedTx[], wallet: Address): Promise<Result<true> | undefined>
  /** The model that semantic nodes ask; undefined where none is configured. */
  model: Model | undefined
  now(): Date
}>

/** A model that answers a question with text. */
export type Model = Readonly<{
  ask(question: Readonly<{ system: string; user: string; signal: AbortSignal }>): Promise<string>
}>
