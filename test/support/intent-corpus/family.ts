// What a family of broken pairs is: how it breaks an aligned one, and the node that should find it.
import type { Pair } from './pairs.ts'
import type { Random } from './random.ts'
import type { Tx } from './transactions.ts'

/** A pair with its transactions, or its words, made wrong. */
export type Broken = Readonly<{ intent?: string; txs: readonly Tx[]; chainId?: number; from?: string }>

/** One way of breaking; undefined where it does not apply to a pair. */
export type Family = Readonly<{ node: string; break(pair: Pair, random: Random): Broken | undefined }>
