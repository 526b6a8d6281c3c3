/** The quotient of integers that are not below zero, rounded up. */
export function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}

/** An integer without its sign. */
export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}
