// Random actions of Uniswap's older routers.
import { type Address, type Hex, maxUint256, zeroAddress } from 'viem'
import { addresses } from '../../scripts/local-chain/addresses.ts'
import {
  type Cast,
  converted,
  type Dice,
  inToken,
  MAXIMA,
  MINIMA,
  NEVER,
  type Purse,
  part,
  put,
  routeFrom,
  TOKENS,
} from './dice.ts'
import {
  type Encoded,
  NATIVE,
  srMulticall,
  srRefundETH,
  srSweepFeeTo,
  srSweepTo,
  srUnwrapTo,
  tokens,
} from './encode.ts'
import {
  unwrapFeeTo,
  V2_NATIVE_REMOVALS,
  V2_NATIVE_SWAPS,
  V2_SWAPS,
  v2Add,
  v2AddNative,
  v2NativeSwap,
  v2Remove,
  v2RemoveNative,
  v2Swap,
  v3In,
  v3InSingle,
  v3Out,
  v3OutSingle,
  v3SwapRouter,
} from './encode-routers.ts'

const { USDC, WETH, DAI } = tokens
const { v2Router02, v3SwapRouter: firstRouter } = addresses.uniswap

/** Any function of Router02 but those with a signature. */
export function v2RouterAction(dice: Dice, { wallet, friends }: Cast): Encoded {
  const to = dice.one([wallet, wallet, wallet, friends[0], v2Router02])
  const deadline = dice.one([NEVER, 2_000_000_000n])
  if (dice.chance(25)) return liquidityAction(dice, to, deadline)
  if (dice.chance(35)) {
    const route = routeFrom(dice, WETH, 'v2')
    const end = route.tokens.at(-1) ?? USDC
    const value = dice.amount(WETH)
    const name = dice.one(V2_NATIVE_SWAPS)
    const got = converted(value, WETH, end)
    const amount = name === 'swapETHForExactTokens' ? (got * 80n) / 100n + 1n : part(dice, got, MINIMA)
    return v2NativeSwap(name, { value, amount, path: route.tokens, to, deadline })
  }
  const name = dice.one(V2_SWAPS)
  const toNative = name.includes('ETH')
  const from = dice.one(toNative ? [USDC, DAI] : TOKENS)
  const path = toNative ? [from, WETH] : routeFrom(dice, from, 'v2').tokens
  const end = path.at(-1) ?? from
  const amount = dice.amount(from)
  const got = converted(amount, from, end)
  const terms = name.includes('ForExact')
    ? { amount: got + 1n, limit: part(dice, converted(got + 1n, end, from) + 1n, MAXIMA) }
    : { amount, limit: part(dice, got, MINIMA) }
  // Native coin sent to the router itself is refused by it.
  return v2Swap(name, { ...terms, path, to: toNative && to === v2Router02 ? wallet : to, deadline })
}

/** The wallet of the scene holds shares of the pool of USDC and WETH. */
function liquidityAction(dice: Dice, to: Address, deadline: bigint): Encoded {
  const usdc = dice.amount(USDC)
  const native = (converted(usdc, USDC, WETH) * BigInt(dice.one([100, 90, 120]))) / 100n
  const [few, many] = [dice.one([0n, usdc / 2n]), dice.one([0n, native / 2n])]
  const shares = 1n + inToken(USDC, BigInt(dice.upTo(1_000_000_000)))
  const holder = to === v2Router02 ? addresses.liquidityProvider : to
  return dice.one([
    () => v2Add({ a: USDC, b: WETH, amountA: usdc, amountB: native, minA: few, minB: many, to: holder, deadline }),
    () => v2AddNative({ token: USDC, amount: usdc, value: native, min: few, minNative: many, to: holder, deadline }),
    () => v2Remove({ a: WETH, b: USDC, shares, minA: 0n, minB: dice.one([0n, 1n]), to, deadline }),
    () =>
      v2RemoveNative(dice.one(V2_NATIVE_REMOVALS), {
        token: USDC,
        shares,
        min: 0n,
        minNative: dice.one([0n, 1n, maxUint256]),
        to: holder,
        deadline,
      }),
  ])()
}

type Batch = Readonly<{ dice: Dice; cast: Cast; calls: Hex[]; purse: Purse }>

/** A swap of the first SwapRouter, or a batch of them. */
export function v3RouterAction(dice: Dice, cast: Cast): Encoded {
  const batch: Batch = { dice, cast, calls: [], purse: new Map() }
  const value = dice.chance(35) ? dice.amount(WETH) : 0n
  if (value > 0n) put(batch.purse, NATIVE, value)
  for (const _ of Array.from({ length: dice.one([1, 1, 2, 3]) })) swapInBatch(batch)
  payOut(batch)
  const [only, ...others] = batch.calls
  if (only !== undefined && others.length === 0 && dice.chance(50)) return v3SwapRouter(only, value)
  const nested = dice.chance(20) ? [srMulticall({ calls: batch.calls })] : batch.calls
  return v3SwapRouter(srMulticall({ calls: nested }), value, `SwapRouter: ${batch.calls.length} calls`)
}

function swapInBatch({ dice, cast, calls, purse }: Batch): void {
  const native = purse.get(NATIVE) ?? 0n
  const inNative = native > 0n && dice.chance(70)
  const from = inNative ? WETH : dice.one(TOKENS)
  const route = routeFrom(dice, from, 'v3')
  const to = route.tokens.at(-1) ?? from
  const single = route.tokens.length === 2 && dice.chance(70)
  const recipient = dice.one([cast.wallet, cast.wallet, zeroAddress, zeroAddress, firstRouter, cast.friends[0]])
  const toRouter = recipient === zeroAddress || recipient === firstRouter
  const has = inNative ? (native * BigInt(dice.one([40, 90, 100]))) / 100n : dice.amount(from)
  const deadline = dice.one([NEVER, 2_000_000_000n])
  const pool = { tokenIn: from, tokenOut: to, fee: route.fees[0] ?? 0, recipient, deadline }
  if (dice.chance(60)) {
    const got = converted(has, from, to)
    const terms = { amount: has, limit: part(dice, got, MINIMA) }
    calls.push(single ? v3InSingle({ ...pool, ...terms }) : v3In({ ...route, recipient, deadline, ...terms }))
    if (inNative) put(purse, NATIVE, -has)
    if (toRouter) put(purse, to, (got * 97n) / 100n)
    return
  }
  const bought = converted((has * 80n) / 100n, from, to) + 1n
  const paid = converted(bought, to, from) + 1n
  const terms = { amount: bought, limit: inNative ? has : part(dice, paid, MAXIMA) }
  calls.push(single ? v3OutSingle({ ...pool, ...terms }) : v3Out({ ...route, recipient, deadline, ...terms }))
  if (inNative) put(purse, NATIVE, -paid)
  if (toRouter) put(purse, to, bought)
}

function payOut({ dice, cast, calls, purse }: Batch): void {
  const feeTo = cast.friends[0]
  for (const [token, about] of purse) {
    if (about <= 0n || dice.chance(8)) continue
    const min = part(dice, about, [0, 1, 10, 30])
    const recipient = dice.one([cast.wallet, cast.wallet, feeTo])
    const bips = BigInt(1 + dice.upTo(99))
    if (token === NATIVE) calls.push(srRefundETH())
    else if (token === WETH && dice.chance(60))
      calls.push(dice.chance(70) ? srUnwrapTo({ min, recipient }) : unwrapFeeTo({ min, recipient, bips, feeTo }))
    else
      calls.push(
        dice.chance(60) ? srSweepTo({ token, min, recipient }) : srSweepFeeTo({ token, min, recipient, bips, feeTo }),
      )
  }
}
