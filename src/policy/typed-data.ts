import { hashTypedData } from 'viem/utils'
import { z } from 'zod'
import { firstFieldError } from '../lib/field-errors.ts'
import type { Hex } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import type { TypedData } from '../schema/action.ts'
import { Address } from '../schema/primitives.ts'

/** A struct's members in their order. */
export type Members = readonly Readonly<{ name: string; type: string }>[]

/** Members from a signature's words: `address owner,uint256 value`. */
export function members(text: string): Members {
  return text.split(',').map((member) => {
    const [type = '', name = ''] = member.split(' ')
    return { name, type }
  })
}

const DOMAIN_TYPES = { name: 'string', version: 'string', chainId: 'uint256', verifyingContract: 'address' } as const

/** An unsigned integer as JSON carries it: decimal or hex digits, or a number that is exact. */
export function uintText(bits: number) {
  return z
    .union([z.string().regex(/^(0|[1-9]\d{0,77}|0x[0-9a-fA-F]{1,64})$/, 'expected a whole number'), z.int()])
    .transform((value) => BigInt(value))
    .refine((value) => value >= 0n && value < 1n << BigInt(bits), `expected a uint${bits}`)
}

/** A domain of EIP-712. Its chain must be named: a signature without one holds on every chain. */
export const Domain = z.strictObject({
  name: z.string().optional(),
  version: z.string().optional(),
  chainId: uintText(64),
  verifyingContract: Address,
})
export type Domain = z.output<typeof Domain>

/** One kind of message: its structs exactly as they must be, and the message itself. */
export type MessageKind<T> = Readonly<{
  primaryType: string
  types: Readonly<Record<string, Members>>
  message: z.ZodType<T>
}>

/** What a message of a known kind says, and the digest that would be signed. */
export type Read<T> = Readonly<{ domain: Domain; message: T; digest: Hex }>

/** Reads a message strictly: its types must be exactly those of the kind, with no member more or less. */
export function readMessage<T>(typedData: TypedData, kind: MessageKind<T>): Result<Read<T>> {
  const { EIP712Domain: domainTypes, ...types } = typedData.types
  if (!sameTypes(types, kind.types)) return refuse(`the types are not those of ${kind.primaryType}`)
  const domain = Domain.safeParse(typedData.domain)
  if (!domain.success) return refuse(firstFieldError(domain.error, 'domain'))
  if (domainTypes && JSON.stringify(domainTypes) !== JSON.stringify(domainMembers(typedData.domain)))
    return refuse('types.EIP712Domain does not describe the domain')
  const message = kind.message.safeParse(typedData.message)
  if (!message.success) return refuse(firstFieldError(message.error, 'message'))
  const digest = hashed(typedData)
  if (digest === undefined)
    return refuse('it cannot be hashed as it is written: addresses are in lower case or have their checksum')
  return ok({ domain: domain.data, message: message.data, digest })
}

/** Nothing where what is written differently from its type has no encoding. */
function hashed(typedData: TypedData): Hex | undefined {
  try {
    return digestOf(typedData)
  } catch {
    return undefined
  }
}

/** The digest of a message, as wallets sign it. */
export function digestOf({ domain, types, primaryType, message }: TypedData): Hex {
  const all: Record<string, Members> = { ...types, EIP712Domain: domainMembers(domain) }
  return hashTypedData({ domain: { ...domain }, types: all, primaryType, message })
}

function sameTypes(given: Readonly<Record<string, Members>>, known: Readonly<Record<string, Members>>): boolean {
  const names = Object.keys(known)
  const same = names.every((name) => JSON.stringify(given[name]?.map(ordered)) === JSON.stringify(known[name]))
  return same && Object.keys(given).length === names.length
}

function ordered({ name, type }: Members[number]): Members[number] {
  return { name, type }
}

function domainMembers(domain: TypedData['domain']): Members {
  return Object.entries(DOMAIN_TYPES).flatMap(([name, type]) => (domain[name] === undefined ? [] : [{ name, type }]))
}
