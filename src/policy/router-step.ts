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
  /** Unwraps all that the router holds; part of it may go to somebody else as a fee, rounded down. */
  | Readonly<{ step: 'unwrap'; min: bigint; to: Address; fee?: Fee }>
  /** The plan fails after this moment, in Unix seconds. */
  | Readonly<{ step: 'expire'; at: bigint }>
  /** A right to spend that is given on the way: a leg of its own. */
  | Readonly<{ step: 'grant'; leg: Leg }>
  /** An address that is only looked at. */
  | Readonly<{ step: 'touch'; address: Address }>
  /** Steps that all happen or, where one of them fails, do not: the plan goes on. */
  | Readonly<{ step: 'attempt'; steps: readonly Step[] }>
  | BookStep

/** A part of an amount, `share / whole`, for somebody. */
export type Fee = Readonly<{ share: bigint; whole: bigint; to: Address }>

/** An amount on the pool manager's books: a number, or all that is owed to the router or by it at that moment. */
export type BookAmount = bigint | 'open'

/**
 * Steps on the books that version 4's pool manager keeps for a router while a command runs: swaps only change what the
 * two owe each other, asset by asset; then the router settles its debts and takes its credits.
 */
export type BookStep =
  | Readonly<{
      step: 'book-sale'
      sells: Asset
      amount: BookAmount
      buys: Asset
      /** The router makes sure of it. */
      min: bigint
      middle: readonly Asset[]
      hooks: readonly Address[]
    }>
  | Readonly<{
      step: 'book-purchase'
      buys: Asset
      amount: BookAmount
      /** Whether the router makes sure that all of it is delivered: pools that run dry deliver less. */
      filled: boolean
      sells: Asset
      /** The router makes sure of it. */
      max: bigint
      middle: readonly Asset[]
      hooks: readonly Address[]
    }>
  /** Pays what the router owes; it fails where that is more than `max`. */
  | Readonly<{
      step: 'settle'
      asset: Asset
      amount: BookAmount | 'balance'
      payer: 'wallet' | 'router'
      max: bigint | null
    }>
  /** The pool manager pays out; the router fails where its credit is below `min`. */
  | Readonly<{ step: 'take'; asset: Asset; amount: BookAmount; min: bigint; to: Address }>
  /** The pool manager pays out a part of the router's credit, rounded down. */
  | Readonly<{ step: 'take-share'; asset: Asset; share: bigint; whole: bigint; to: Address }>
  /** Everything must be settled and taken. */
  | Readonly<{ step: 'close-books' }>

/** The step of a name. */
export type StepOf<K extends Step['step']> = Extract<Step, { step: K }>
