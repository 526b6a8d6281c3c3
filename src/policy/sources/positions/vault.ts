import type { Address } from '../../../lib/address.ts'
import { CountersignError } from '../../../lib/errors.ts'
import type { Hex } from '../../../lib/hash.ts'
import type { Vault } from '../../../registry/index.ts'
import { type AccountReading, callWith, wordsOrNothing } from './account-reading.ts'

const BALANCE_OF: Hex = '0x70a08231'
const CONVERT_TO_ASSETS: Hex = '0x07a2d13a'
/** So many shares that their rate is exact to 27 digits, and few enough for every vault to multiply with. */
const SHARES = 10n ** 27n

/** A wallet's shares of a vault, in the asset that they are a part of. Source: EIP-4626, `convertToAssets`. */
export function vaultAccount({ vault, venue, asset, name }: Vault, wallet: Address): AccountReading {
  return {
    calls: [
      callWith(BALANCE_OF, vault, wallet),
      { to: vault, data: `${CONVERT_TO_ASSETS}${SHARES.toString(16).padStart(64, '0')}` },
    ],
    read([balance, rate]) {
      const shares = wordsOrNothing(balance, 1, name)?.[0]
      if (shares === undefined) return null
      const assets = shares === 0n ? [0n] : wordsOrNothing(rate, 1, name)
      if (assets === null) throw new CountersignError('unavailable', `The shares of ${name} could not be valued.`)
      const amount = (shares * (assets[0] ?? 0n)) / SHARES
      return {
        protocol: venue,
        market: vault,
        supplied: new Map(amount > 0n ? [[asset, amount]] : []),
        borrowed: new Map(),
      }
    },
  }
}
