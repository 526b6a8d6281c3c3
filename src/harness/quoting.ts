import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils'
import type { ChainClient } from '../chain/index.ts'
import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { quoterOf } from '../registry/index.ts'
import type { Quote } from './tool.ts'

const V3 = parseAbi([
  'struct ExactIn { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'struct ExactOut { address tokenIn; address tokenOut; uint256 amount; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactInputSingle(ExactIn params) returns (uint256 amountOut, uint160, uint32, uint256)',
  'function quoteExactOutputSingle(ExactOut params) returns (uint256 amountIn, uint160, uint32, uint256)',
])
const V2 = parseAbi([
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)',
  'function getAmountsIn(uint256 amountOut, address[] path) view returns (uint256[] amounts)',
])

/** Pools of a pair differ by their fee, in hundredths of a basis point. */
const V3_FEES = [100, 500, 3_000, 10_000] as const
const V2_FEE = 3_000

/** A trade to be quoted, in the tokens' smallest units. */
export type Trade = Readonly<{ sell: Address; buy: Address; amount: bigint; side: 'exact-in' | 'exact-out' }>

/** One pool to ask: the call, and how its answer reads. */
type Ask = Readonly<{ pool: Quote['pool']; fee: number; to: Address; data: Hex; other(answer: Hex): bigint }>

/** Asks every known pool of a pair on one block, and takes the best answer. A pool that fails is one that is not there. */
export async function bestQuote(chain: Pick<ChainClient, 'id' | 'readMany'>, trade: Trade): Promise<Result<Quote>> {
  const asks = [...v3Asks(chain.id, trade), ...v2Asks(chain.id, trade)]
  if (asks.length === 0) return refuse(`No exchange is known on chain ${chain.id}.`)
  const { results } = await chain.readMany(asks.map(({ to, data }) => ({ to, data })))
  const quotes = asks.flatMap((ask, i) => quoteFrom(ask, results[i], trade))
  const [best] = quotes.sort((a, b) => compare(a, b, trade))
  return best ? ok(best) : refuse('No pool with liquidity was found for this pair and amount.')
}

function quoteFrom(
  { pool, fee, other }: Ask,
  answer: Result<Hex> | undefined,
  { side, amount }: Trade,
): readonly Quote[] {
  if (!answer?.ok) return []
  const found = attempt(() => other(answer.value))
  if (found === undefined || found === 0n) return []
  const amounts = side === 'exact-in' ? { amountIn: amount, amountOut: found } : { amountIn: found, amountOut: amount }
  return [{ pool, fee, ...amounts }]
}

/** Most output first, or least input. */
function compare(a: Quote, b: Quote, { side }: Trade): number {
  if (side === 'exact-in') return a.amountOut > b.amountOut ? -1 : 1
  return a.amountIn < b.amountIn ? -1 : 1
}

function v3Asks(chainId: number, { sell, buy, amount, side }: Trade): readonly Ask[] {
  const to = quoterOf(chainId, 'uniswap-quoter-v2')
  if (!to) return []
  const shared = { tokenIn: sell, tokenOut: buy, sqrtPriceLimitX96: 0n }
  return V3_FEES.map((fee) => {
    if (side === 'exact-in') {
      const functionName = 'quoteExactInputSingle'
      const args = [{ ...shared, fee, amountIn: amount }] as const
      const data = encodeFunctionData({ abi: V3, functionName, args })
      return {
        pool: 'v3',
        fee,
        to,
        data,
        other: (answer) => decodeFunctionResult({ abi: V3, functionName, data: answer })[0],
      }
    }
    const functionName = 'quoteExactOutputSingle'
    const data = encodeFunctionData({ abi: V3, functionName, args: [{ ...shared, fee, amount }] })
    return {
      pool: 'v3',
      fee,
      to,
      data,
      other: (answer) => decodeFunctionResult({ abi: V3, functionName, data: answer })[0],
    }
  })
}

function v2Asks(chainId: number, { sell, buy, amount, side }: Trade): readonly Ask[] {
  const to = quoterOf(chainId, 'uniswap-v2-router-02')
  if (!to) return []
  const functionName = side === 'exact-in' ? 'getAmountsOut' : 'getAmountsIn'
  const data = encodeFunctionData({ abi: V2, functionName, args: [amount, [sell, buy]] })
  const other = (answer: Hex) => {
    const amounts = decodeFunctionResult({ abi: V2, functionName, data: answer })
    return amounts[side === 'exact-in' ? 1 : 0] ?? 0n
  }
  return [{ pool: 'v2', fee: V2_FEE, to, data, other }]
}

/** An answer of bytes that are no such answer is none. */
function attempt(read: () => bigint): bigint | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
