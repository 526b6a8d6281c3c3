import { z } from 'zod'
import type { Address } from '../lib/address.ts'
import { Address as AddressSchema, ChainId } from '../schema/primitives.ts'
import data from './sanctions.json' with { type: 'json' }

const SanctionsFile = z.strictObject({
  asOf: z.iso.date(),
  source: z.string(),
  oracles: z.strictObject({
    source: z.string(),
    contracts: z.array(z.strictObject({ chainId: ChainId, address: AddressSchema })),
  }),
  addresses: z.array(AddressSchema),
})

const file = SanctionsFile.parse(data)
const listed: ReadonlySet<Address> = new Set(file.addresses)

/** The day of the bundled list of sanctioned addresses, and where it is from. */
export const SANCTIONS_AS_OF = { asOf: file.asOf, source: file.source }

/** Whether the bundled list has the address. It holds on every chain. */
export function isListedSanctioned(address: Address): boolean {
  return listed.has(address)
}

/** The contract that answers `isSanctioned(address)` on a chain. */
export function sanctionsOracle(chainId: number): Address | undefined {
  return file.oracles.contracts.find((contract) => contract.chainId === chainId)?.address
}
