import type { Address } from '../lib/address.ts'
import { type Result, refuse } from '../lib/result.ts'
import { isEvmTx, type ProposedTx } from '../schema/action.ts'
import { decode } from './decode.ts'
import { decodeTyped } from './decode-typed.ts'
import type { DecodedAction } from './decoded-action.ts'

/** What a proposed action of any form would do. A decoder is total; should one throw all the same, the action is not understood. */
export function decodeProposed(proposedTx: ProposedTx, wallet: Address): Result<DecodedAction> {
  try {
    return isEvmTx(proposedTx) ? decode(proposedTx, wallet) : decodeTyped(proposedTx, wallet)
  } catch {
    return refuse('The decoder failed on these bytes.')
  }
}
