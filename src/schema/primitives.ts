import { z } from 'zod'
import { type Address as AddressType, isAddress, toAddress } from '../lib/address.ts'
import type { Hex as HexType } from '../lib/hash.ts'

const ADDRESS_HINT = 'expected an address: 0x and 40 hex digits, in lower case or with a correct checksum'

/** An address exactly as the caller wrote it, for what is hashed as received. */
export const AddressText = z
  .string()
  .refine(isAddress, ADDRESS_HINT)
  .transform((text) => text as HexType)
  .meta({ id: 'AddressText', description: ADDRESS_HINT })

/** An address, lower-cased on the way in. */
export const Address = z
  .string()
  .refine(isAddress, ADDRESS_HINT)
  .transform((text): AddressType => toAddress(text))
  .meta({ id: 'Address', description: ADDRESS_HINT })

/** Hex data of any length, whole bytes. */
export const Hex = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/, 'expected 0x and an even number of hex digits')
  .transform((text) => text as HexType)
  .meta({ id: 'Hex' })

/** A 32-byte hash. */
export const Hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'expected 0x and 64 hex digits')
  .transform((text) => text.toLowerCase() as HexType)
  .meta({ id: 'Hash' })

const MAX_UINT256 = (1n << 256n) - 1n

/** Native value in wei: a hex quantity (leading zeros allowed) or a decimal string, up to 2^256 - 1. */
export const Quantity = z
  .string()
  .regex(/^(0x[0-9a-fA-F]{1,128}|[0-9]{1,78})$/, 'expected a hex quantity (0x…) or a decimal string of wei')
  .refine((text) => !/^(0x[0-9a-fA-F]+|[0-9]+)$/.test(text) || BigInt(text) <= MAX_UINT256, 'must be at most 2^256 - 1')
  .meta({ id: 'Quantity' })

/** A chain id. */
export const ChainId = z.int().positive()

/** A moment, ISO 8601 in UTC. */
export const Timestamp = z.iso.datetime()

/** Text a person wrote: no NUL, no half of a surrogate pair, which no database stores as written. */
export const Text = z
  .string()
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be well-formed text without NUL characters')
