import { z } from 'zod'
import type { Address } from '../lib/address.ts'
import { Address as AddressSchema, ChainId } from '../schema/primitives.ts'
import data from './venues.json' with { type: 'json' }

/** A contract that the decoders know: its venue, what kind of contract it is, and its version where kinds have several. */
export type Contract = Readonly<{
  chainId: number
  address: Address
  venue: string
  kind: string
  version?: string | undefined
}>

const VenuesFile = z.strictObject({
  asOf: z.iso.date(),
  source: z.string(),
  contracts: z.array(
    z.strictObject({
      chainId: ChainId,
      address: AddressSchema,
      venue: z.string(),
      kind: z.string(),
      version: z.string().optional(),
    }),
  ),
})

const file = VenuesFile.parse(data)
const byTarget = new Map<string, Contract>(file.contracts.map((c) => [`${c.chainId}:${c.address}`, c]))

/** The known contract at an address. Decoding is keyed by this, never by a selector alone. */
export function contractAt(chainId: number, address: Address): Contract | undefined {
  return byTarget.get(`${chainId}:${address}`)
}

/** The address of a kind of contract on a chain; the newest version where there are several and none is named. */
export function contractOf(chainId: number, kind: string, version?: string): Address | undefined {
  const found = file.contracts.filter(
    (c) => c.chainId === chainId && c.kind === kind && (version === undefined || c.version === version),
  )
  return found.at(-1)?.address
}

/** The wrapped form of a chain's own coin. */
export function wrappedNative(chainId: number): Address | undefined {
  return contractOf(chainId, 'wrapped-native')
}
