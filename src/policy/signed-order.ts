import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import type { CalledFunction, DecodedAction, Flow } from './decoded-action.ts'
import type { Domain } from './typed-data.ts'

/** The last second that a 32-bit deadline can name. It stands for "never" wherever a deadline is one. */
const NEVER = 2n ** 32n - 1n

/** An order that its owner signs and somebody else settles: a swap that may happen until its end, at its own terms or better. */
export type SignedOrder = Readonly<{
  venue: string
  chainId: number
  wallet: Address
  /** The contract that checks the signature. */
  target: Address
  /** What that contract works for, where it is another's helper. */
  calls?: readonly CalledFunction[]
  digest: Hex
  /** What leaves at most, over all fills. */
  spends: Flow
  /** What arrives at least for all of it; a part that is filled brings its share. */
  receives: readonly Flow[]
  /** Unix second after which nobody can settle it. */
  validUntil: bigint
  touches?: readonly Address[]
}>

/**
 * A signed order as an action: one swap. Refused where it moves nothing or never ends: a price that is right today is not
 * right for ever, and what it may spend is held until it is over.
 */
export function signedOrder(order: SignedOrder): Result<DecodedAction> {
  const { venue, chainId, wallet, target, calls, digest, spends, receives, validUntil, touches = [] } = order
  if (spends.amount === 0n) return refuse('it sells nothing')
  if (validUntil === 0n || validUntil >= NEVER) return refuse('it never ends: an order needs an end')
  const deadline = Number(validUntil)
  const leg = { kind: 'swap', venue, spends: [spends], receives, grants: [], deadline } as const
  const action = { protocol: venue, chainId, wallet, target, selector: null, touches, digest, trailingBytes: 0 }
  return ok({ ...action, legs: [leg], ...(calls && { calls }) })
}

/** Why a domain is not the expected one, if it is not. */
export function domainFault(domain: Domain, expected: Domain): string | undefined {
  if (domain.chainId !== expected.chainId) return 'the domain is of another chain than "chainId"'
  if (domain.verifyingContract !== expected.verifyingContract)
    return `the domain's contract must be ${expected.verifyingContract}`
  if (domain.name !== expected.name) return `the domain's name must be "${expected.name}"`
  if (domain.version === expected.version) return undefined
  return expected.version === undefined
    ? 'the domain has no version'
    : `the domain's version must be "${expected.version}"`
}
