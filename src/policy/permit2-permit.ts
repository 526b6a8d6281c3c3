import type { Address } from '../lib/address.ts'
import { address, array, bytes, tuple, uint } from './calldata.ts'
import { deadlineOf } from './deadline.ts'
import type { Leg } from './decoded-action.ts'
import { grantLeg } from './grant-leg.ts'

/** Permit2's `PermitDetails`: token, amount, expiration in Unix seconds, nonce. */
const permitDetails = tuple(address, uint(160), uint(48), uint(48))

/** Permit2's `PermitSingle`: details, spender, deadline of the signature. */
export const permitSingle = tuple(permitDetails, address, uint(256))

/** Permit2's `PermitBatch`: the details of several tokens for one spender. */
export const permitBatch = tuple(array(permitDetails), address, uint(256))

/** The owner's signature over a permit. No decoder reads it: whose it is, Permit2 decides. */
export const permitSignature = bytes

/**
 * The rights that a signed permit gives, one leg a token. An expiration of 0 lasts for the block that includes it, and is
 * shown as the moment 0. Source: Permit2's `AllowanceTransfer` and `Allowance`.
 */
export function permitLegs(
  owner: Address,
  spender: Address,
  details: readonly (readonly [Address, bigint, bigint, bigint])[],
  signatureDeadline: bigint | null,
): readonly Leg[] {
  const deadline = signatureDeadline === null ? null : deadlineOf(signatureDeadline)
  return details.map(([asset, amount, expiration]) =>
    grantLeg('permit2', { asset, owner, spender, amount, expiresAt: Number(expiration) }, deadline),
  )
}
