import type { ChainCall, Chains } from '../../../chain/index.ts'
import { type Address, toAddress } from '../../../lib/address.ts'
import type { Hex } from '../../../lib/hash.ts'
import type { Result } from '../../../lib/result.ts'
import { poolFactoryOf, tokenAt, tokenBySymbol, wrappedNative } from '../../../registry/index.ts'
import { readContracts, wordsOf } from '../../contract-reads.ts'
import type { Asset } from '../../decoded-action.ts'

const GET_POOL = '0x1698ee82'
const BALANCE_OF = '0x70a08231'
const SLOT0: Hex = '0x3850c7bd'
/** `observe([600, 0])`: the sums of the ticks ten minutes ago and now. */
const OBSERVE: Hex = `0x883bdbfd${[32, 2, 600, 0].map(word).join('')}`
const OBSERVED_SECONDS = 600
/** Fee tiers of Uniswap v3. */
const FEES = [100, 500, 3_000, 10_000]
const POOLS_CACHE_MS = 3_600_000
const RATES_CACHE_MS = 15_000

/** The deepest pool of an asset against a coin that has a price of its own. `depth` is what it holds of that coin. */
export type Pool = Readonly<{ pool: Address; token: Address; counter: Address; depth: bigint }>

/** What an asset's pool pays for one whole token, in whole tokens of the coin that it is traded against. */
export type PoolRate = Pool & Readonly<{ rate: number }>

/** What assets are traded at, for those that have a pool. */
export type PoolReader = (
  assets: readonly Asset[],
  chainId: number,
  signal: AbortSignal,
) => Promise<ReadonlyMap<Asset, PoolRate>>

/** What an asset is compared in: the chain's own coin, or a US dollar coin for that coin itself. */
export function counterOf(chainId: number, asset: Asset): Address | undefined {
  if (poolFactoryOf(chainId) === undefined) return undefined
  const wrapped = wrappedNative(chainId)
  const isCoin = asset === 'native' || asset === wrapped
  return isCoin ? tokenBySymbol(chainId, 'USDC')?.address : wrapped
}

/**
 * Reads what the deepest pool of Uniswap v3 paid for assets over the last ten minutes, or pays now where the pool does
 * not remember so long. Which pool is deepest is kept for an hour, what it pays for 15 s. What a pool does not answer is
 * no opinion; a node that does not answer is a fault.
 *
 * @see https://docs.uniswap.org/contracts/v3/reference/core/interfaces/pool/IUniswapV3PoolDerivedState
 */
export function createPoolReader(chains: Chains, now: () => Date): PoolReader {
  const pools = new Map<string, Readonly<{ pool: Pool | null; readAt: number }>>()
  const rates = new Map<string, Readonly<{ rate: PoolRate | null; readAt: number }>>()

  async function findPools(assets: readonly Asset[], chainId: number, signal: AbortSignal): Promise<void> {
    const factory = poolFactoryOf(chainId)
    const unknown = assets.filter((asset) => !isFresh(pools.get(`${chainId}:${asset}`), POOLS_CACHE_MS, now))
    const pairs = unknown.flatMap((asset) => pairOf(chainId, asset) ?? [])
    if (factory === undefined || pairs.length === 0) return
    const candidates = pairs.flatMap((pair) => FEES.map((fee) => ({ ...pair, fee })))
    const ask = (calls: readonly ChainCall[]) => readContracts(chains, chainId, calls, signal)
    const named = await ask(candidates.map(({ token, counter, fee }) => getPool(factory, token, counter, fee)))
    const found = candidates.flatMap((one, i) => {
      const pool = addressIn(named[i])
      return pool === undefined ? [] : [{ ...one, pool }]
    })
    const held = found.length === 0 ? [] : await ask(found.map(({ pool, counter }) => balanceOf(counter, pool)))
    const deep = found.map((one, i) => ({ ...one, depth: wordsOf(held[i], 1)?.[0] ?? 0n }))
    for (const { asset } of pairs) {
      const own = deep.filter((one) => one.asset === asset && one.depth > 0n)
      const [deepest] = own.toSorted((a, b) => (a.depth < b.depth ? 1 : -1))
      pools.set(`${chainId}:${asset}`, { pool: deepest ?? null, readAt: now().getTime() })
    }
  }

  async function readRates(assets: readonly Asset[], chainId: number, signal: AbortSignal): Promise<void> {
    const stale = assets.filter((asset) => !isFresh(rates.get(`${chainId}:${asset}`), RATES_CACHE_MS, now))
    const asked = stale.flatMap((asset) => {
      const pool = pools.get(`${chainId}:${asset}`)?.pool
      return pool ? [{ asset, pool }] : []
    })
    const calls = asked.flatMap(({ pool: { pool } }) => [OBSERVE, SLOT0].map((data) => ({ to: pool, data })))
    const answers = calls.length === 0 ? [] : await readContracts(chains, chainId, calls, signal)
    for (const [i, { asset, pool }] of asked.entries()) {
      const rate = rateOf(chainId, pool, answers[2 * i], answers[2 * i + 1])
      rates.set(`${chainId}:${asset}`, { rate: rate ?? null, readAt: now().getTime() })
    }
  }

  return async (assets, chainId, signal) => {
    await findPools(assets, chainId, signal)
    await readRates(assets, chainId, signal)
    return new Map(
      assets.flatMap((asset) => {
        const rate = rates.get(`${chainId}:${asset}`)?.rate
        return rate ? [[asset, rate] as const] : []
      }),
    )
  }
}

function isFresh(one: Readonly<{ readAt: number }> | undefined, maxMs: number, now: () => Date): boolean {
  return one !== undefined && now().getTime() - one.readAt < maxMs
}

function pairOf(
  chainId: number,
  asset: Asset,
): Readonly<{ asset: Asset; token: Address; counter: Address }> | undefined {
  const token = asset === 'native' ? wrappedNative(chainId) : asset
  const counter = counterOf(chainId, asset)
  return token === undefined || counter === undefined ? undefined : { asset, token, counter }
}

/** Whole tokens of the counter for one whole token, from ticks or from the square root of the price times 2^96. */
function rateOf(
  chainId: number,
  pool: Pool,
  observed: Result<Hex> | undefined,
  slot0: Result<Hex> | undefined,
): PoolRate | undefined {
  const [own, counter] = [tokenAt(chainId, pool.token)?.decimals, tokenAt(chainId, pool.counter)?.decimals]
  if (own === undefined || counter === undefined) return undefined
  const raw = averageRate(observed) ?? presentRate(slot0)
  if (raw === undefined) return undefined
  const isFirst = BigInt(pool.token) < BigInt(pool.counter)
  const rate = (isFirst ? raw : 1 / raw) * 10 ** (own - counter)
  return Number.isFinite(rate) && rate > 0 ? { ...pool, rate } : undefined
}

/** Of what was observed: the second token's smallest units for one of the first's. */
function averageRate(answer: Result<Hex> | undefined): number | undefined {
  const words = wordsOf(answer, 8)
  const [before, after] = [words?.[3], words?.[4]]
  if (before === undefined || after === undefined || words?.[2] !== 2n) return undefined
  return 1.0001 ** (Number(BigInt.asIntN(256, after) - BigInt.asIntN(256, before)) / OBSERVED_SECONDS)
}

function presentRate(answer: Result<Hex> | undefined): number | undefined {
  const sqrtPriceX96 = wordsOf(answer, 7)?.[0]
  return sqrtPriceX96 === undefined || sqrtPriceX96 === 0n ? undefined : (Number(sqrtPriceX96) / 2 ** 96) ** 2
}

function getPool(factory: Address, token: Address, counter: Address, fee: number): ChainCall {
  return { to: factory, data: `${GET_POOL}${addressWord(token)}${addressWord(counter)}${word(fee)}` }
}

function balanceOf(token: Address, owner: Address): ChainCall {
  return { to: token, data: `${BALANCE_OF}${addressWord(owner)}` }
}

function addressIn(answer: Result<Hex> | undefined): Address | undefined {
  const found = wordsOf(answer, 1)?.[0]
  if (found === undefined || found === 0n || found >> 160n !== 0n) return undefined
  return toAddress(`0x${found.toString(16).padStart(40, '0')}`)
}

function addressWord(address: Address): string {
  return address.slice(2).padStart(64, '0')
}

function word(value: number): string {
  return value.toString(16).padStart(64, '0')
}
