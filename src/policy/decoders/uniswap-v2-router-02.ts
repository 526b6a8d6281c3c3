import { ok, refuse } from '../../lib/result.ts'
import { wrappedNative } from '../../registry/index.ts'
import { callFunction, functionTable, MAX_TRAILING_BYTES } from '../calldata.ts'
import { defineDecoder } from '../decoder.ts'
import { liquidityFunctions } from './uniswap-v2-router-02/liquidity.ts'
import { swapFunctions } from './uniswap-v2-router-02/swaps.ts'

const functions = functionTable([...swapFunctions, ...liquidityFunctions])

/**
 * Uniswap's Router02 for pools of version 2. Each call is one swap or one change of a pool's liquidity; receivers are
 * literal, and where the chain's own coin is sold its amount is the value of the call.
 */
export const uniswapV2Router02 = defineDecoder({
  kind: 'uniswap-v2-router-02',
  decode({ chainId, wallet, to: router, value, data }) {
    const wrapped = wrappedNative(chainId)
    if (wrapped === undefined) return refuse(`Router02 is not decoded on chain ${chainId}.`)
    const result = callFunction(functions, data, { chainId, wallet, router, wrapped, value }, MAX_TRAILING_BYTES)
    if (!result.ok) return refuse(`Router02: ${result.reason}.`)
    return ok({ ...result.value.value, trailingBytes: result.value.trailing })
  },
})
