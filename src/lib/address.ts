import { type Hex, keccak256 } from './hash.ts'

/** A 20-byte account or contract address in lower case: the one form that is compared. */
export type Address = Lowercase<Hex>

const ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** The address of twenty zero bytes: where tokens are burnt. */
export const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000' satisfies Address

/** Lower-cases an address that is already known to be one. */
export function toAddress(text: string): Address {
  return text.toLowerCase() as Address
}

/** Whether a text is an address in one case, or in mixed case with the checksum of EIP-55. */
export function isAddress(text: string): boolean {
  if (!ADDRESS.test(text)) return false
  const digits = text.slice(2)
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true
  return checksumAddress(toAddress(text)) === text
}

/** The mixed-case form of EIP-55, for people. */
export function checksumAddress(address: Address): Hex {
  const digits = address.slice(2)
  const hash = keccak256(digits)
  let out = '0x'
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charAt(i)
    out += Number.parseInt(hash.charAt(i + 2), 16) >= 8 ? digit.toUpperCase() : digit
  }
  return out as Hex
}
