import { z } from 'zod'
import type { Address } from '../lib/address.ts'
import { Address as AddressSchema, ChainId } from '../schema/primitives.ts'
import data from './quoters.json' with { type: 'json' }

const KINDS = ['uniswap-quoter-v2', 'uniswap-v2-router-02'] as const

/** A contract that is only asked what a trade would give. It is no venue: nothing is ever sent to it by being listed here. */
export type QuoterKind = (typeof KINDS)[number]

const QuotersFile = z.strictObject({
  asOf: z.iso.date(),
  source: z.string(),
  contracts: z.array(z.strictObject({ chainId: ChainId, address: AddressSchema, kind: z.enum(KINDS) })),
})

const { contracts } = QuotersFile.parse(data)

/** The address of a quoting contract on a chain. */
export function quoterOf(chainId: number, kind: QuoterKind): Address | undefined {
  return contracts.find((c) => c.chainId === chainId && c.kind === kind)?.address
}
