import type { Address } from 'viem'

/** An amount of a token, in the token's smallest unit. */
export type Amount = Readonly<{ token: Address; amount: bigint }>

/** Pools name their tokens in the order of their addresses; the zero address (native) comes first. */
export function sortAmounts(a: Amount, b: Amount): readonly [Amount, Amount] {
  return BigInt(a.token) < BigInt(b.token) ? [a, b] : [b, a]
}

/** The price at which two amounts are worth the same, as v3 and v4 write it: the square root, times 2^96. */
export function sqrtPriceX96(amount0: bigint, amount1: bigint): bigint {
  return sqrt((amount1 << 192n) / amount0)
}

/** The liquidity that two amounts give at their own price over the full range. */
export function fullRangeLiquidity(amount0: bigint, amount1: bigint): bigint {
  return sqrt(amount0 * amount1)
}

/** The last ticks that a pool of this spacing can use. */
export function fullRange(tickSpacing: number): Readonly<{ tickLower: number; tickUpper: number }> {
  const tickUpper = Math.floor(887_272 / tickSpacing) * tickSpacing
  return { tickLower: -tickUpper, tickUpper }
}

/** Newton's method, rounded down. */
function sqrt(value: bigint): bigint {
  let root = value
  let next = (value + 1n) / 2n
  while (next < root) {
    root = next
    next = (root + value / root) / 2n
  }
  return root
}
