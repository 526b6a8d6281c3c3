import type { Address } from '../../../lib/address.ts'
import { CountersignError } from '../../../lib/errors.ts'
import type { Hex } from '../../../lib/hash.ts'
import { ceilDiv } from '../../../lib/integers.ts'
import { marketOf } from '../../account.ts'
import type { Asset } from '../../decoded-action.ts'
import { type AccountReading, addressIn, wordsOrNothing } from './account-reading.ts'

const POSITION: Hex = '0x93c52062'
const MARKET: Hex = '0x5c60e39a'
const ID_TO_MARKET_PARAMS: Hex = '0x2c3c9157'
/** Shares and assets that every market has beside its own, against inflation. Source: Morpho Blue, SharesMathLib. */
const VIRTUAL_SHARES = 1_000_000n
const VIRTUAL_ASSETS = 1n

/** A wallet's account in one market of Morpho Blue, as of the market's last accrual of interest. */
export function morphoAccount(market: Address, marketId: Hex, wallet: Address): AccountReading {
  const id = marketId.slice(2)
  return {
    calls: [
      { to: market, data: `${POSITION}${id}${wallet.slice(2).padStart(64, '0')}` },
      { to: market, data: `${MARKET}${id}` },
      { to: market, data: `${ID_TO_MARKET_PARAMS}${id}` },
    ],
    read([position, state, params]) {
      const of = 'Morpho'
      const held = wordsOrNothing(position, 3, of)
      const sums = wordsOrNothing(state, 6, of)
      const words = wordsOrNothing(params, 5, of)
      if (held === null || sums === null || words === null) return null
      const [supplyShares = 0n, borrowShares = 0n, collateral = 0n] = held
      const [supplyAssets = 0n, allSupplyShares = 0n, borrowAssets = 0n, allBorrowShares = 0n] = sums
      const [loan, secured] = words.map(addressIn)
      if (loan === undefined || secured === undefined)
        throw new CountersignError('unavailable', 'The market of Morpho does not exist.')
      const lent = (supplyShares * (supplyAssets + VIRTUAL_ASSETS)) / (allSupplyShares + VIRTUAL_SHARES)
      const owed = ceilDiv(borrowShares * (borrowAssets + VIRTUAL_ASSETS), allBorrowShares + VIRTUAL_SHARES)
      const supplied = new Map<Asset, bigint>(collateral > 0n ? [[secured, collateral]] : [])
      if (lent > 0n) supplied.set(loan, (supplied.get(loan) ?? 0n) + lent)
      const borrowed = new Map<Asset, bigint>(owed > 0n ? [[loan, owed]] : [])
      return { protocol: 'morpho', market: marketOf({ market, marketId }), supplied, borrowed }
    },
  }
}
