import type { Address } from '../lib/address.ts'
import type { AmountRange } from './amount-range.ts'
import type { Asset, Leg } from './decoded-action.ts'

/** An amount that a step moves: a number, or all that the router holds at that moment. */
export type PlanAmount = bigint | 'balance'

/**
 * How much of an amount is sold: all; all while the pools have liquidity, where one that runs dry takes less; or no more
 * than it.
 */
export type Sold = 'all' | 'while-liquid' | 'up-to'

/** One step of a plan. */
export type Step =
  /** The wallet pays a token. */
  | Readonly<{ step: 'collect'; asset: Address; amount: bigint; to: Address }>
  | Readonly<{
      step: 'swap'
      payer: 'wallet' | 'router'
      sells: Readonly<{ asset: Address; amount: PlanAmount; sold: Sold }>
      /** `checked`: the router makes sure of this amount itself. Otherwise it follows from what the tokens on the way do. */
      buys: Readonly<{ asset: Address; amount: AmountRange; checked: boolean }>
      middle: readonly Address[]
      /** Whether the router itself pays on the tokens in the middle. */
      custody: boolean
      /** The pool that is paid first, where it sells whatever it was sent before as well. */
      prepaid: Address | undefined
      to: Address
    }>
  /** The router pays out; it fails where it holds less than `min`. */
  | Readonly<{ step: 'pay'; asset: Asset; amount: PlanAmount; min: bigint; to: Address }>
  /** The router pays out `share / whole` of what it holds, rounded down. */
  | Readonly<{ step: 'share'; asset: Asset; share: bigint; whole: bigint; to: Address }>
  /** The plan fails where the router holds less. */
  | Readonly<{ step: 'require'; asset: Asset; min: bigint }>
  | Readonly<{ step: 'wrap'; amount: PlanAmount; to: Address }>
  | Readonly<{ step: 'unwrap'; min: bigint; to: Address }>
  /** The plan fails after this moment, in Unix seconds. */
  | Readonly<{ step: 'expire'; at: bigint }>
  /** A right to spend that is given on the way: a leg of its own. */
  | Readonly<{ step: 'grant'; leg: Leg }>
  /** An address that is only looked at. */
  | Readonly<{ step: 'touch'; address: Address }>

/** The step of a name. */
export type StepOf<K extends Step['step']> = Extract<Step, { step: K }>
