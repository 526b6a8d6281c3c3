import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import type { Result } from '../lib/result.ts'
import type { Contract } from '../registry/index.ts'
import type { CalledFunction, Leg } from './decoded-action.ts'

/** What a decoder reads: one call on a contract, by the wallet itself or by a batch that it unwraps. */
export type Call = Readonly<{
  chainId: number
  /** The account the call comes from. */
  wallet: Address
  to: Address
  /** Native value in wei. */
  value: bigint
  /** Calldata, lower case. */
  data: Hex
}>

/** What a decoder makes of a call. */
export type Decoded = Readonly<{
  legs: readonly [Leg, ...Leg[]]
  touches?: readonly Address[]
  trailingBytes?: number
  /** The calls that it makes in turn, those within them included. */
  calls?: readonly CalledFunction[]
}>

/** Reads a call that another one makes, as if `wallet` had sent it: the account that the chain sees as its sender. */
export type DecodeInner = (call: Omit<Call, 'chainId'>) => Result<Decoded>

/**
 * One kind of contract that can be read. Pure and total: whatever is not understood completely is `{ ok: false }`
 * with a sentence, never a throw and never a guess.
 */
export type Decoder = Readonly<{
  /** The `kind` of the registry's contracts that it reads, or the calls it claims when the registry knows no target. */
  kind: string
  decode(call: Call, contract: Contract | undefined, decodeInner: DecodeInner): Result<Decoded>
}>

/** Declares a decoder. */
export function defineDecoder(decoder: Decoder): Decoder {
  return decoder
}
