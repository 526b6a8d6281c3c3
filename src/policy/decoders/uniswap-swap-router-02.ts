import { ok, refuse } from '../../lib/result.ts'
import { wrappedNative } from '../../registry/index.ts'
import { callFunction, MAX_TRAILING_BYTES } from '../calldata.ts'
import { defineDecoder } from '../decoder.ts'
import { runPlan } from '../router-plan.ts'
import { swapRouterFunctions } from './uniswap-swap-router-02/functions.ts'

/**
 * Uniswap's SwapRouter02: swaps through pools of versions 2 and 3, and batches of them. A batch is one plan: what one of
 * its calls leaves in the router, a later one sends on.
 */
export const uniswapSwapRouter02 = defineDecoder({
  kind: 'uniswap-swap-router-02',
  decode({ chainId, wallet, to: router, value, data }) {
    const wrapped = wrappedNative(chainId)
    if (wrapped === undefined) return refuse(`SwapRouter02 is not decoded on chain ${chainId}.`)
    const plan = callFunction(swapRouterFunctions, data, { wallet, router, depth: 0 }, MAX_TRAILING_BYTES)
    if (!plan.ok) return refuse(`SwapRouter02: ${plan.reason}.`)
    const outcome = runPlan('uniswap', plan.value.value, {
      chainId,
      wallet,
      router,
      wrapped,
      value,
      wrapsToPay: true,
      locked: false,
    })
    if (!outcome.ok) return refuse(`SwapRouter02: ${outcome.reason}.`)
    return ok({ ...outcome.value, trailingBytes: plan.value.trailing })
  },
})
