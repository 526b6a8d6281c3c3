import { z } from 'zod'
import type { Address } from '../lib/address.ts'
import { Address as AddressSchema, ChainId } from '../schema/primitives.ts'
import data from './polymarket.json' with { type: 'json' }

const { chainId, collateral, negRiskCollateral, maxFeeBps, exchanges } = z
  .strictObject({
    asOf: z.iso.date(),
    source: z.string(),
    chainId: ChainId,
    collateral: AddressSchema,
    negRiskCollateral: AddressSchema,
    maxFeeBps: z.int().positive(),
    exchanges: z.array(
      z.strictObject({
        address: AddressSchema,
        version: z.union([z.literal(2), z.literal(3)]),
        /** Null where one exchange trades both kinds of markets. */
        negRisk: z.boolean().nullable(),
      }),
    ),
  })
  .parse(data)

/** The chain of Polymarket's contracts. */
export const POLYMARKET_CHAIN: number = chainId

/** What its markets are paid in (pUSD): six decimals, as shares have. */
export const POLYMARKET_COLLATERAL: Address = collateral

/** What the adapter of markets that exclude each other takes: bridged USDC. */
export const POLYMARKET_NEG_RISK_COLLATERAL: Address = negRiskCollateral

/** Basis points of what is paid that the exchange takes as a fee at most, as it was deployed. */
export const POLYMARKET_MAX_FEE_BPS: number = maxFeeBps

/** The version of the exchange at an address. */
export function polymarketVersionAt(address: Address): 2 | 3 | undefined {
  return exchanges.find((exchange) => exchange.address === address)?.version
}

/** Bits that are zero in every position of the second protocol. Source: Polymarket's ts-sdk, `protocol.ts`. */
const RESERVED = ((1n << 64n) - 1n) << 40n

/** The version of the exchange that trades a token, which its id says. */
export function polymarketVersionOf(tokenId: bigint): 2 | 3 {
  return (tokenId & RESERVED) === 0n ? 3 : 2
}

/** The exchange that trades a token. */
export function polymarketExchange(tokenId: bigint, negRisk: boolean): Address | undefined {
  const version = polymarketVersionOf(tokenId)
  return exchanges.find((one) => one.version === version && (one.negRisk === null || one.negRisk === negRisk))?.address
}
