import { encodeAbiParameters, keccak256, parseAbiParameters } from 'viem/utils'
import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import type { Result } from '../lib/result.ts'
import type { ChainClient } from './chain-client.ts'
import type { PoolTrade } from './pool-trades.ts'

/**
 * How far below the price at which a pool stood before, its fee taken off, a trade in it would be filled: basis points;
 * null where the pool did not say where it stood.
 */
export type PoolImpact = Readonly<{ pool: Address | Hex; impactBps: number | null }>

/** A contract can write logs of as many pools as it likes; of each the node is asked. */
const MOST_POOLS = 32
const FULL = 10_000n
const PIPS = 1_000_000n
const V2_FEE_PIPS = 3_000n
const Q192 = 1n << 192n
const SLOT0 = '0x3850c7bd'
const FEE = '0xddca3f43'
const EXTSLOAD = '0x1e2eaeaf'
/** Where the pool manager of v4 keeps its pools: source v4-core, `StateLibrary.POOLS_SLOT`. */
const POOLS_SLOT = 6n
const PRICE_MASK = (1n << 160n) - 1n

type Priced = Readonly<{ sqrtPrice: bigint | undefined; feePips: bigint | undefined }>

/**
 * The impact of trades on the pools in which they are made, each pool once, with the worst of its trades. Of more than 32
 * pools nothing is known.
 */
export async function readPoolImpacts(
  chain: Pick<ChainClient, 'readMany'>,
  trades: readonly PoolTrade[],
): Promise<readonly PoolImpact[]> {
  // An id alone would mix what a manager of pools says with what anybody else writes of a pool of that id.
  const pools = Map.groupBy(trades, (trade) => (trade.kind === 'v4' ? `${trade.pool}${trade.id}` : trade.pool))
  if (pools.size > MOST_POOLS) return trades.slice(0, 1).map((trade) => ({ pool: poolOf(trade), impactBps: null }))
  return Promise.all(
    [...pools.values()].flatMap(([first, ...rest]) => (first ? impactIn(chain, [first, ...rest]) : [])),
  )
}

async function impactIn(
  chain: Pick<ChainClient, 'readMany'>,
  trades: readonly [PoolTrade, ...PoolTrade[]],
): Promise<PoolImpact> {
  const [first] = trades
  const start = first.kind === 'v2' ? undefined : await stateOf(chain, first)
  return { pool: poolOf(first), impactBps: worst(impactsOf(trades, start)) }
}

function poolOf(trade: PoolTrade): PoolImpact['pool'] {
  return trade.kind === 'v4' ? trade.id : trade.pool
}

function impactsOf(trades: readonly PoolTrade[], start: Priced | undefined): readonly (number | null)[] {
  let sqrtPrice = start?.sqrtPrice
  return trades.map((trade) => {
    const before = sqrtPrice
    if (trade.kind === 'v2') return impactOf(trade, trade.reserveOut, trade.reserveIn, V2_FEE_PIPS)
    sqrtPrice = trade.sqrtPriceAfter
    const feePips = trade.feePips === null ? start?.feePips : BigInt(trade.feePips)
    if (before === undefined || before === 0n || feePips === undefined) return null
    const price = before * before
    return trade.zeroForOne ? impactOf(trade, price, Q192, feePips) : impactOf(trade, Q192, price, feePips)
  })
}

/** What was got, against what `paid * numerator / denominator` would have been without moving the price; rounded up. */
function impactOf({ paid, got }: PoolTrade, numerator: bigint, denominator: bigint, feePips: bigint): number | null {
  if (numerator <= 0n || denominator <= 0n || feePips >= PIPS) return null
  const ideal = paid * (PIPS - feePips) * numerator
  const actual = got * PIPS * denominator
  if (ideal <= 0n) return null
  return actual >= ideal ? 0 : Number(((ideal - actual) * FULL + ideal - 1n) / ideal)
}

function worst(impacts: readonly (number | null)[]): number | null {
  return impacts.reduce((most, one) => (most === null || one === null ? null : Math.max(most, one)), 0)
}

/** Where a pool stands: its price as v3 and v4 keep it, the root times 2^96, and its fee. */
async function stateOf(
  { readMany }: Pick<ChainClient, 'readMany'>,
  trade: Exclude<PoolTrade, { kind: 'v2' }>,
): Promise<Priced> {
  if (trade.kind === 'v4') {
    const words = parseAbiParameters('bytes32, uint256')
    const slot = keccak256(encodeAbiParameters(words, [trade.id, POOLS_SLOT]))
    const { results } = await readMany([{ to: trade.pool, data: `${EXTSLOAD}${slot.slice(2)}` }])
    const word = wordOf(results[0])
    return { sqrtPrice: word === undefined ? undefined : word & PRICE_MASK, feePips: BigInt(trade.feePips) }
  }
  const { results } = await readMany([
    { to: trade.pool, data: SLOT0 },
    { to: trade.pool, data: FEE },
  ])
  return { sqrtPrice: wordOf(results[0]), feePips: wordOf(results[1]) }
}

function wordOf(result: Result<Hex> | undefined): bigint | undefined {
  return result?.ok && result.value.length >= 66 ? BigInt(result.value.slice(0, 66)) : undefined
}
