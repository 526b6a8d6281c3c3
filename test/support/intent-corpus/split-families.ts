// Pairs in which whoever was meant gets a part, and a stranger gets the rest.
import { ownBatch, paidThroughMulticall, paidThroughPermit2, safeBatch } from './batches.ts'
import type { Family } from './family.ts'
import { type Pair, stranger } from './pairs.ts'
import type { Random } from './random.ts'
import type { Tx } from './transactions.ts'

const SPLIT = ['transfer', 'supply', 'withdraw', 'repay']

/** Families of broken pairs by name. */
export const SPLIT_FAMILIES: Readonly<Record<string, Family>> = {
  'split receivers': {
    node: 'intent_alignment.operation_matching',
    break(pair, random) {
      const { amount } = pair.parts
      if (!SPLIT.includes(pair.operation) || amount < 100n || amount > 1n << 200n) return undefined
      const kept = random.pick([amount / 100n, amount / 2n, amount - amount / 100n, amount])
      const taken = kept === amount ? random.pick([amount, amount * 99n]) : amount - kept
      return { txs: [split(pair, random, kept, taken)] }
    },
  },
  'large cut': {
    node: 'intent_alignment.fee_alignment',
    break(pair, random) {
      const { approval, exact } = pair.parts
      if (pair.operation !== 'swap' || approval !== undefined || exact === 'out') return undefined
      const bips = BigInt(random.pick([1_000, 5_000, 9_000, 9_900]))
      return { txs: pair.build({ ...pair.parts, fee: { to: stranger(random), bips } }) }
    },
  },
}

function split(pair: Pair, random: Random, kept: bigint, taken: bigint): Tx {
  const { parts } = pair
  const other = stranger(random)
  const first = random.chance(0.5)
  const ordered = <T>(own: T, foreign: T): readonly T[] => (first ? [own, foreign] : [foreign, own])
  const payments = ordered({ to: parts.recipient, amount: kept }, { to: other, amount: taken })
  const way = random.int(0, 2)
  if (pair.operation === 'transfer' && way === 2)
    return parts.token.address === 'native'
      ? paidThroughMulticall(payments)
      : paidThroughPermit2(parts.token.address, payments)
  const calls = payments.flatMap(({ to, amount }) => pair.build({ ...parts, recipient: to, amount }))
  return way === 0 ? ownBatch(calls) : safeBatch(calls)
}

/** The same transactions in one batch, which changes nothing of what they do. */
export function batched(random: Random, txs: readonly Tx[]): Tx {
  return random.chance(0.5) ? ownBatch(txs) : safeBatch(txs)
}
