// Random swaps on the books of version 4's pool manager, through the pools that the local chain has there.
import { type Address, maxUint128 } from 'viem'
import { type Cast, converted, type Dice, MAXIMA, MINIMA, type Purse, part, put, TOKENS } from './dice.ts'
import { type Command, NATIVE, ROUTER, SENDER, tokens, type Version, WHOLE_BALANCE } from './encode.ts'
import {
  type Action,
  type PoolKey,
  poolKey,
  urV4,
  v4In,
  v4InSingle,
  v4Out,
  v4OutSingle,
  v4Settle,
  v4SettleAll,
  v4Take,
  v4TakeAll,
  v4TakePortion,
} from './encode-v4.ts'

const { USDC, WETH, DAI } = tokens
const POOLS: readonly PoolKey[] = [poolKey(NATIVE, USDC, 500, 10), poolKey(USDC, WETH, 3000, 60)]

type Plan = Readonly<{ dice: Dice; cast: Cast; version: Version; purse: Purse }>
type Walk = Readonly<{ currencies: readonly [Address, Address, ...Address[]]; pools: readonly [PoolKey, ...PoolKey[]] }>

/** Of two pools there are four walks of one and two of both. */
function walkFrom(dice: Dice, from: Address): Walk {
  const [nativeUsdc, usdcWeth] = POOLS as readonly [PoolKey, PoolKey]
  const far: Walk =
    from === NATIVE
      ? { currencies: [NATIVE, USDC, WETH], pools: [nativeUsdc, usdcWeth] }
      : { currencies: [WETH, USDC, NATIVE], pools: [usdcWeth, nativeUsdc] }
  if (from === USDC) {
    const pool = dice.one([nativeUsdc, usdcWeth])
    return { currencies: [USDC, pool === usdcWeth ? WETH : NATIVE], pools: [pool] }
  }
  if (dice.chance(40)) return far
  return { currencies: [from, USDC], pools: [far.pools[0]] }
}

/** The swap as a single one where it can be, or along a path. */
function swapAction(plan: Plan, walk: Walk, side: 'in' | 'out', amount: bigint, limit: bigint): Action {
  const { dice, version } = plan
  const [pool, ...others] = walk.pools
  const [from, , ...rest] = walk.currencies
  // The chain's 2.1 is 2.1.0, which takes no lowest price in a single swap: the field is zero, and read as an offset.
  const canBeSingle = others.length === 0 && (version === '2.0' || pool.currency0 === NATIVE)
  if (canBeSingle && dice.chance(60)) {
    const single = { version, pool, zeroForOne: pool.currency0 === from, amount, limit }
    return side === 'in' ? v4InSingle(single) : v4OutSingle(single)
  }
  const hops = walk.pools.map(({ fee, tickSpacing, hooks }, i) => {
    const intermediateCurrency = walk.currencies[side === 'in' ? i + 1 : i] ?? from
    return { intermediateCurrency, fee, tickSpacing, hooks, hookData: '0x' } as const
  })
  const end = side === 'in' ? from : (rest.at(-1) ?? walk.currencies[1])
  const path = { version, end, path: hops, amount, limit }
  return side === 'in' ? v4In(path) : v4Out(path)
}

/** One command: a swap or two, then what is owed and what is due, in one of the ways to pay and to be paid. */
export function bookSwap(plan: Plan): readonly Command[] {
  const { dice, purse } = plan
  const held = [NATIVE, ...TOKENS].filter((token) => token !== DAI && (purse.get(token) ?? 0n) > 0n)
  const walletPays = held.length === 0 || dice.chance(25)
  const from = walletPays ? dice.one([USDC, WETH]) : dice.one(held)
  const walk = walkFrom(dice, from)
  const to = walk.currencies.at(-1) ?? from
  const has = walletPays ? dice.amount(from) : (purse.get(from) ?? 0n)
  if (dice.chance(60)) {
    const whole = !walletPays && dice.chance(40)
    const sold = walletPays || whole ? has : (has * BigInt(1 + dice.upTo(98))) / 100n
    const got = converted(sold, from, to)
    const min = part(dice, got, MINIMA)
    const swap = swapAction(plan, walk, 'in', whole ? 0n : sold, dice.chance(70) ? min : 0n)
    const pays = whole
      ? v4Settle({ token: from, amount: WHOLE_BALANCE, walletPays: false })
      : payment(dice, from, sold, walletPays, true)
    if (!walletPays) put(purse, from, -sold)
    const first = whole || dice.chance(10) ? [pays, swap] : [swap, pays]
    return [urV4(...(whole || pays.byte === 0x0b ? first : [swap, pays]), ...receipts(plan, to, got, min))]
  }
  const bought = converted(walletPays ? has : (has * 80n) / 100n, from, to) + 1n
  const paid = converted(bought, to, from) + 1n
  const max = walletPays ? part(dice, paid, MAXIMA) : has
  const swap = swapAction(plan, walk, 'out', bought, max > maxUint128 ? maxUint128 : max)
  if (!walletPays) put(purse, from, -(paid * 104n) / 100n)
  return [urV4(swap, payment(dice, from, max, walletPays, false), ...receipts(plan, to, bought, bought))]
}

/** Settles what is owed: all, all with a limit, or a literal amount, which must then be exactly it. */
function payment(dice: Dice, token: Address, amount: bigint, walletPays: boolean, exact: boolean): Action {
  if (walletPays && dice.chance(40)) return v4SettleAll({ token, max: amount })
  return v4Settle({ token, amount: exact && dice.chance(40) ? amount : 0n, walletPays })
}

function receipts({ dice, cast, purse }: Plan, token: Address, about: bigint, min: bigint): readonly Action[] {
  const friend = cast.friends[0]
  const to = dice.one([SENDER, SENDER, ROUTER, ROUTER, cast.wallet, friend])
  const fee = dice.chance(20)
    ? [v4TakePortion({ token, to: friend, bips: BigInt(1 + dice.upTo(dice.one([100, 9_999]))) })]
    : []
  const part = dice.chance(15) ? [v4Take({ token, to: friend, amount: about / 100n + 1n })] : []
  if (dice.chance(30)) return [...fee, ...part, v4TakeAll({ token, min: dice.one([0n, min / 3n, min]) })]
  if (to === ROUTER) put(purse, token, (about * 90n) / 100n)
  return [...part, ...fee, v4Take({ token, to, amount: fee.length + part.length === 0 && dice.chance(20) ? min : 0n })]
}
