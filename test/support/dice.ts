// What random actions are drawn from: the tokens and pools of the local chain, amounts near what they are worth, and routes.
import fc, { type GeneratorValue } from 'fast-check'
import { type Address, type Hex, maxUint256 } from 'viem'
import { NATIVE, type PermitBatch, type PermitSingle, tokens } from './encode.ts'

/** Whose actions they are, who else may receive, and permits that the wallet signed. */
export type Cast = Readonly<{
  wallet: Address
  friends: readonly [Address, ...Address[]]
  /** Accounts that let the wallet take their tokens. */
  lender: Address
  permits: readonly Readonly<{ permit: PermitSingle; signature: Hex }>[]
  batches: readonly Readonly<{ permit: PermitBatch; signature: Hex }>[]
}>

const { USDC, WETH, DAI } = tokens
export const TOKENS = [USDC, WETH, DAI] as const
export const NEVER = maxUint256

/** Base units of a token for a millionth of a dollar, at the prices that the pools are built at: as a fraction. */
const PER_MICRO_USD = new Map<Address, readonly [bigint, bigint]>([
  [USDC, [1n, 1n]],
  [DAI, [10n ** 12n, 1n]],
  [WETH, [10n ** 18n, 3_000_000_000n]],
  [NATIVE, [10n ** 18n, 3_000_000_000n]],
])

export type Pool = Readonly<{ kind: 'v2' | 'v3'; pair: readonly [Address, Address]; fee: number }>
export const POOLS: readonly Pool[] = [
  { kind: 'v2', pair: [USDC, WETH], fee: 0 },
  { kind: 'v2', pair: [DAI, WETH], fee: 0 },
  { kind: 'v3', pair: [USDC, WETH], fee: 500 },
  { kind: 'v3', pair: [USDC, WETH], fee: 3000 },
  { kind: 'v3', pair: [DAI, WETH], fee: 3000 },
  { kind: 'v3', pair: [DAI, USDC], fee: 100 },
]

export type Route = Readonly<{ kind: 'v2' | 'v3'; tokens: readonly Address[]; fees: readonly number[] }>

/** Draws of one action. */
export type Dice = Readonly<{
  upTo(most: number): number
  chance(percent: number): boolean
  one<T>(of: readonly T[]): T
  amount(token: Address): bigint
}>

export function diceOf(g: GeneratorValue): Dice {
  const upTo = (most: number) => g(fc.nat, { max: most })
  return {
    upTo,
    chance: (percent) => upTo(99) < percent,
    one: (of) => {
      const found = of[upTo(of.length - 1)]
      if (found === undefined) throw new Error('nothing to choose from')
      return found
    },
    // From a cent to some ten thousand dollars, with odd last digits.
    amount: (token) => inToken(token, 10n ** BigInt(4 + upTo(6)) + BigInt(upTo(1_000_000_000))),
  }
}

export function inToken(token: Address, microUsd: bigint): bigint {
  const [units, per] = PER_MICRO_USD.get(token) ?? [1n, 1n]
  return (microUsd * units) / per
}

export function converted(amount: bigint, from: Address, to: Address): bigint {
  const [units, per] = PER_MICRO_USD.get(from) ?? [1n, 1n]
  return inToken(to, (amount * per) / units)
}

/** A walk over pools of one kind that does not end where it began. */
export function routeFrom(dice: Dice, from: Address, kind: 'v2' | 'v3'): Route {
  const walk = [from]
  const fees: number[] = []
  for (const _ of Array.from({ length: 1 + (dice.chance(40) ? 1 + dice.upTo(1) : 0) })) {
    const at = walk.at(-1) ?? from
    const open = POOLS.filter((pool) => pool.kind === kind && pool.pair.includes(at))
    const pool = dice.one(open)
    const [a, b] = pool.pair
    const next = a === at ? b : a
    if (next === from) break
    walk.push(next)
    fees.push(pool.fee)
  }
  if (walk.length > 1) return { kind, tokens: walk, fees }
  return routeFrom(dice, from, kind)
}

/** A share of an estimate in percent; the last choice is one that the chain refuses. */
export const part = (dice: Dice, estimate: bigint, percents: readonly number[]) =>
  (estimate * BigInt(dice.one(percents))) / 100n
export const MINIMA = [0, 1, 50, 90, 90, 95, 95, 120]
export const MAXIMA = [105, 105, 110, 120, 200, 1000, 80]

/** What a router would hold, about. */
export type Purse = Map<Address, bigint>
export const put = (purse: Purse, token: Address, amount: bigint) => purse.set(token, (purse.get(token) ?? 0n) + amount)
