import { type Address, toAddress } from '../lib/address.ts'
import { type Result, refuse } from '../lib/result.ts'
import type { TypedDataAction } from '../schema/action.ts'
import type { DecodedAction } from './decoded-action.ts'
import type { TypedDecoder } from './typed-decoder.ts'
import { typedDecoders } from './typed-decoders/index.ts'

const byProtocol: ReadonlyMap<string, TypedDecoder> = new Map(typedDecoders.map((one) => [one.protocol, one]))

/** What a signed message of a wallet would do, read from its own fields alone. Pure and total. */
export function decodeTyped(action: TypedDataAction, wallet: Address): Result<DecodedAction> {
  const decoder = byProtocol.get(action.protocol)
  if (decoder === undefined) return refuse(`Actions of ${action.protocol} are not decoded.`)
  return decoder.decode(action, toAddress(wallet))
}
