import { slice, toEventSelector } from 'viem/utils'
import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import type { LogAnswer } from './rpc-answers.ts'

/**
 * A trade in a pool, as its log tells of it. `paid` and `got` are what the pool took and gave, in the tokens' smallest
 * units; `zeroForOne` says that it took the first of its tokens. `feePips` (millionths) is null where the log is silent.
 */
export type PoolTrade = Readonly<{ pool: Address; paid: bigint; got: bigint; zeroForOne: boolean }> &
  (
    | Readonly<{ kind: 'v2'; reserveIn: bigint; reserveOut: bigint }>
    | Readonly<{ kind: 'v3'; sqrtPriceAfter: bigint; feePips: null }>
    | Readonly<{ kind: 'v4'; id: Hex; sqrtPriceAfter: bigint; feePips: number }>
  )

const V2_SWAP = toEventSelector('Swap(address,uint256,uint256,uint256,uint256,address)')
const V2_SYNC = toEventSelector('Sync(uint112,uint112)')
const V3_SWAP = toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)')
const V4_SWAP = toEventSelector('Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)')

/**
 * The trades in Uniswap's pools that the logs of a call tell of, in their order. Whoever writes logs can write false ones:
 * they can make a trade look worse, and cannot hide one.
 */
export function poolTradesOf(logs: readonly LogAnswer[]): readonly PoolTrade[] {
  const reserves = new Map<Address, readonly [bigint, bigint]>()
  return logs.flatMap((log): readonly PoolTrade[] => {
    const [event] = log.topics
    if (event === V2_SYNC && size(log) === 2) reserves.set(log.address, [unsigned(log.data, 0), unsigned(log.data, 1)])
    if (event === V2_SWAP && size(log) === 4) return v2Trade(log, reserves.get(log.address))
    if (event === V3_SWAP && size(log) === 5) {
      // The pool's own view: what it took is above zero.
      const moved = sidesOf(signed(log.data, 0), signed(log.data, 1))
      const sqrtPriceAfter = unsigned(log.data, 2)
      return moved ? [{ kind: 'v3', pool: log.address, ...moved, sqrtPriceAfter, feePips: null }] : []
    }
    if (event === V4_SWAP && size(log) === 6) {
      // The swapper's view: what was paid is below zero.
      const moved = sidesOf(-signed(log.data, 0), -signed(log.data, 1))
      const [sqrtPriceAfter, feePips] = [unsigned(log.data, 2), Number(unsigned(log.data, 5))]
      const id = log.topics[1]
      return moved && id ? [{ kind: 'v4', pool: log.address, id, ...moved, sqrtPriceAfter, feePips }] : []
    }
    return []
  })
}

type Sides = Pick<PoolTrade, 'paid' | 'got' | 'zeroForOne'>

function sidesOf(first: bigint, second: bigint): Sides | undefined {
  if (first > 0n && second < 0n) return { paid: first, got: -second, zeroForOne: true }
  if (second > 0n && first < 0n) return { paid: second, got: -first, zeroForOne: false }
  return undefined
}

/** The reserves before a trade are those after it, less what it moved. */
function v2Trade({ address, data }: LogAnswer, after: readonly [bigint, bigint] | undefined): readonly PoolTrade[] {
  const [in0 = 0n, in1 = 0n, out0 = 0n, out1 = 0n] = [0, 1, 2, 3].map((i) => unsigned(data, i))
  const moved = sidesOf(in0 - out0, in1 - out1)
  if (moved === undefined || after === undefined) return []
  const [first, second] = moved.zeroForOne ? after : [after[1], after[0]]
  return [{ kind: 'v2', pool: address, ...moved, reserveIn: first - moved.paid, reserveOut: second + moved.got }]
}

function size({ data }: LogAnswer): number {
  return (data.length - 2) / 64
}

function unsigned(data: Hex, word: number): bigint {
  return BigInt(slice(data, 32 * word, 32 * word + 32))
}

function signed(data: Hex, word: number): bigint {
  return BigInt.asIntN(256, unsigned(data, word))
}
