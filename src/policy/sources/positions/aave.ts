import type { Address } from '../../../lib/address.ts'
import type { Hex } from '../../../lib/hash.ts'
import type { LendingPool } from '../../../registry/index.ts'
import type { Asset } from '../../decoded-action.ts'
import { type AccountReading, callWith, wordsOrNothing } from './account-reading.ts'

const GET_USER_ACCOUNT_DATA: Hex = '0xbf92857c'
const BALANCE_OF: Hex = '0x70a08231'

/**
 * A wallet's account in a pool of Aave v3: what its tokens say of each reserve, and the pool's own sums. Those cover a
 * reserve that was added after the registry was made.
 *
 * @see IPool.getUserAccountData of Aave v3: collateral and debt in the base currency, which is US dollars with eight decimals
 */
export function aaveAccount({ pool, market, reserves }: LendingPool, wallet: Address): AccountReading {
  return {
    calls: [
      callWith(GET_USER_ACCOUNT_DATA, pool, wallet),
      ...reserves.flatMap(({ aToken, variableDebtToken }) => [
        callWith(BALANCE_OF, aToken, wallet),
        callWith(BALANCE_OF, variableDebtToken, wallet),
      ]),
    ],
    read([data, ...balances]) {
      const words = wordsOrNothing(data, 6, market)
      if (words === null) return null
      const [suppliedE8 = 0n, borrowedE8 = 0n] = words
      const supplied = new Map<Asset, bigint>()
      const borrowed = new Map<Asset, bigint>()
      for (const [i, { asset }] of reserves.entries()) {
        const deposit = wordsOrNothing(balances[2 * i], 1, market)?.[0] ?? 0n
        const debt = wordsOrNothing(balances[2 * i + 1], 1, market)?.[0] ?? 0n
        if (deposit > 0n) supplied.set(asset, deposit)
        if (debt > 0n) borrowed.set(asset, debt)
      }
      return { protocol: 'aave', market: pool, supplied, borrowed, totals: { suppliedE8, borrowedE8 } }
    },
  }
}
