import { type Address, ZERO_ADDRESS } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { wrappedNative } from '../../registry/index.ts'
import { exactly } from '../amount-range.ts'
import {
  abiFunction,
  address,
  array,
  bytes,
  callFunction,
  type FunctionTable,
  functionTable,
  MAX_TRAILING_BYTES,
  tuple,
  uint,
} from '../calldata.ts'
import { defineDecoder } from '../decoder.ts'
import { runPlan } from '../router-plan.ts'
import { type Route, tokenRoute, v3Route } from '../uniswap-path.ts'
import {
  batch,
  buy,
  type PeripheryContext,
  type Purchase,
  peripheryFunctions,
  type Sale,
  type Steps,
  sell,
} from '../uniswap-periphery.ts'

/** The zero address stands for the router itself, and no other word for anybody. */
function recipient(to: Address, { router }: PeripheryContext): Address {
  return to === ZERO_ADDRESS ? router : to
}

/** Each swap carries a deadline of its own. */
function sale(route: Result<Route>, terms: Omit<Sale, 'pools'>, deadline: bigint): Result<Steps> {
  return route.ok ? ok([{ step: 'expire', at: deadline }, sell(route.value, { ...terms, pools: 'v3' })]) : route
}

function purchase(route: Result<Route>, terms: Omit<Purchase, 'pools'>, deadline: bigint): Result<Steps> {
  return route.ok ? ok([{ step: 'expire', at: deadline }, buy(route.value, { ...terms, pools: 'v3' })]) : route
}

const single = [tuple(address, address, uint(24), address, uint(256), uint(256), uint(256), uint(160))] as const
const several = [tuple(bytes, address, uint(256), uint(256), uint(256))] as const

// Source: v3-periphery 1.4.4, SwapRouter and its bases.
const functions: FunctionTable<PeripheryContext, Steps> = functionTable<PeripheryContext, Steps>([
  ...peripheryFunctions,
  abiFunction('exactInputSingle', single, ([[sells, buys, , to, deadline, amount, min, limit]], context) =>
    sale(tokenRoute([sells, buys]), { amount, min, to: recipient(to, context), limited: limit !== 0n }, deadline),
  ),
  abiFunction('exactInput', several, ([[path, to, deadline, amount, min]], context) =>
    sale(v3Route(path, 'forwards'), { amount, min, to: recipient(to, context), limited: false }, deadline),
  ),
  abiFunction('exactOutputSingle', single, ([[sells, buys, , to, deadline, amount, max, limit]], context) =>
    purchase(
      tokenRoute([sells, buys]),
      // Where a price limit ends the purchase, the router does not insist on the whole amount.
      { amount: limit === 0n ? exactly(amount) : { min: 0n, max: amount }, max, to: recipient(to, context) },
      deadline,
    ),
  ),
  abiFunction('exactOutput', several, ([[path, to, deadline, amount, max]], context) =>
    purchase(v3Route(path, 'backwards'), { amount: exactly(amount), max, to: recipient(to, context) }, deadline),
  ),
  abiFunction('multicall', [array(bytes)], ([calls], context) => batch(calls, context, functions)),
])

/**
 * Uniswap's first router for pools of version 3, with batches. It reads receivers otherwise than its successor: the zero
 * address is the router itself.
 */
export const uniswapV3SwapRouter = defineDecoder({
  kind: 'uniswap-v3-swap-router',
  decode({ chainId, wallet, to: router, value, data }) {
    const wrapped = wrappedNative(chainId)
    if (wrapped === undefined) return refuse(`SwapRouter is not decoded on chain ${chainId}.`)
    const plan = callFunction(functions, data, { wallet, router, depth: 0 }, MAX_TRAILING_BYTES)
    if (!plan.ok) return refuse(`SwapRouter: ${plan.reason}.`)
    const context = { chainId, wallet, router, wrapped, value, wrapsToPay: true, locked: false }
    const outcome = runPlan('uniswap', plan.value.value, context)
    if (!outcome.ok) return refuse(`SwapRouter: ${outcome.reason}.`)
    return ok({ ...outcome.value, trailingBytes: plan.value.trailing })
  },
})
