/** What is certain about an amount: at least `min`, at most `max`; null where nothing limits it. */
export type AmountRange = Readonly<{ min: bigint; max: bigint | null }>

/** A range with an end. */
export type BoundedRange = Readonly<{ min: bigint; max: bigint }>

/** Nothing at all. */
export const NOTHING: BoundedRange = { min: 0n, max: 0n }

/** No telling how much. */
export const ANYTHING: AmountRange = { min: 0n, max: null }

/** Exactly an amount. */
export function exactly(amount: bigint): BoundedRange {
  return { min: amount, max: amount }
}

/** Both together, where each has an end. */
export function boundedSum(a: BoundedRange, b: BoundedRange): BoundedRange {
  return { min: a.min + b.min, max: a.max + b.max }
}

/** Both together. */
export function sum(a: AmountRange, b: AmountRange): AmountRange {
  return { min: a.min + b.min, max: a.max === null || b.max === null ? null : a.max + b.max }
}

/** What is left of `a` after `b` went, never below nothing. */
export function less(a: AmountRange, b: BoundedRange): AmountRange {
  return { min: positive(a.min - b.max), max: a.max === null ? null : positive(a.max - b.min) }
}

/** Both ends by a function that never falls. */
export function mapRange(range: AmountRange, f: (amount: bigint) => bigint): AmountRange {
  return { min: f(range.min), max: range.max === null ? null : f(range.max) }
}

function positive(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}
