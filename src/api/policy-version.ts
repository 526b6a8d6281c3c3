import { z } from 'zod'
import { Address } from '../schema/primitives.ts'

/** Path of a wallet's policy. */
export const WalletPath = z.strictObject({ walletAddress: Address })

/** Path of the policy of one's own wallet. */
export const OwnWalletPath = z.strictObject({ address: Address })

/** `If-Match: "<version>"`: write only when the current version is still this one. */
export const IfMatch = z.object({
  'if-match': z
    .string()
    .regex(/^"[0-9]{1,9}"$/, 'expected the version in double quotes, as in "3"')
    .transform((text) => Number(text.slice(1, -1)))
    .optional(),
})

/** The version as an entity tag. */
export function etagOf({ version }: Readonly<{ version: number }>): Readonly<Record<string, string>> {
  return { ETag: `"${version}"` }
}
