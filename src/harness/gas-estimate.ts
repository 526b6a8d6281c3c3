import type { DecodedLeg } from '../schema/decoded-action.ts'

/**
 * Gas that an action usually takes, by what it does: for paper alone, where no node can be asked about what is not there.
 * Estimates on the high side, so that paper does not look better than trading would be.
 */
const GAS: Readonly<Partial<Record<DecodedLeg['kind'], bigint>>> = {
  transfer: 55_000n,
  approve: 50_000n,
  revoke: 35_000n,
  wrap: 50_000n,
  unwrap: 40_000n,
  swap: 180_000n,
  supply: 230_000n,
  withdraw: 260_000n,
  borrow: 300_000n,
  repay: 220_000n,
}
const PLAIN = 21_000n
const ELSE = 150_000n

/** Gas units for the legs of one transaction. */
export function gasOf(legs: readonly DecodedLeg[]): bigint {
  const [first] = legs
  if (legs.length === 1 && first?.kind === 'transfer' && first.spends.every(({ asset }) => asset === 'native'))
    return PLAIN
  return legs.reduce((sum, { kind }) => sum + (GAS[kind] ?? ELSE), 0n)
}
