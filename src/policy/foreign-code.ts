import type { Address } from '../lib/address.ts'
import { tokenAt } from '../registry/index.ts'

/** Where a plan's tokens are looked up. */
type Where = Readonly<{ chainId: number; wrapped: Address }>

/** Whether a token is listed, and so taken to do what tokens do. Any other may run whatever code it likes when it is moved. */
export function isVouchedFor(token: Address, { chainId, wrapped }: Where): boolean {
  return token === wrapped || tokenAt(chainId, token) !== undefined
}
