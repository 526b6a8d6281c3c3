import type { Chains } from '../../../chain/index.ts'
import type { Address } from '../../../lib/address.ts'
import type { Hex } from '../../../lib/hash.ts'
import type { LendingPool } from '../../../registry/index.ts'
import { readPresent, wordsOf } from '../../contract-reads.ts'
import { addressIn } from './account-reading.ts'

const ADDRESSES_PROVIDER: Hex = '0x0542975c'
const GET_PRICE_ORACLE: Hex = '0xfca513a8'
const CACHE_MS = 3_600_000

/**
 * The price oracles of lending pools, by pool, kept for an hour. A pool that names none has none.
 *
 * @see IPool.ADDRESSES_PROVIDER and IPoolAddressesProvider.getPriceOracle of Aave v3
 */
export function createOracleReader(chains: Chains, now: () => Date) {
  const kept = new Map<number, Readonly<{ oracles: ReadonlyMap<string, Address>; readAt: number }>>()

  return async (chainId: number, pools: readonly LendingPool[], signal: AbortSignal) => {
    const known = kept.get(chainId)
    if (known !== undefined && now().getTime() - known.readAt < CACHE_MS) return known.oracles
    const addressesAt = async (places: readonly Address[], data: Hex): Promise<readonly (Address | undefined)[]> => {
      if (places.length === 0) return []
      const calls = places.map((to) => ({ to, data }))
      const answers = await readPresent(chains, chainId, calls, { signal, now })
      return answers.map((answer) => addressIn(wordsOf(answer, 1)?.[0]))
    }
    const providers = await addressesAt(
      pools.map(({ pool }) => pool),
      ADDRESSES_PROVIDER,
    )
    const named = pools.flatMap(({ pool }, i) => {
      const provider = providers[i]
      return provider === undefined ? [] : [{ pool, provider }]
    })
    const found = await addressesAt(
      named.map(({ provider }) => provider),
      GET_PRICE_ORACLE,
    )
    const oracles = new Map<string, Address>(
      named.flatMap(({ pool }, i) => {
        const oracle = found[i]
        return oracle === undefined ? [] : [[pool, oracle] as const]
      }),
    )
    kept.set(chainId, { oracles, readAt: now().getTime() })
    return oracles
  }
}
