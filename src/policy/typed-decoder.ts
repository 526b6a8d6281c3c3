import type { Address } from '../lib/address.ts'
import type { Result } from '../lib/result.ts'
import type { TypedDataAction } from '../schema/action.ts'
import type { DecodedAction } from './decoded-action.ts'

/**
 * One protocol whose actions are signed messages. Pure and total: whatever is not understood completely is
 * `{ ok: false }` with a sentence.
 */
export type TypedDecoder = Readonly<{
  /** `protocol` of the actions that it reads. */
  protocol: TypedDataAction['protocol']
  decode(action: TypedDataAction, wallet: Address): Result<DecodedAction>
}>

/** Declares a decoder of signed messages. */
export function defineTypedDecoder(decoder: TypedDecoder): TypedDecoder {
  return decoder
}
