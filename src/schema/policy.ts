import { z } from 'zod'
import { Address, ChainId } from './primitives.ts'

const Usd = z.number().nonnegative().max(1e12)
const Bps = z.int().min(0).max(10_000)
const Leverage = z.number().positive().max(1_000)

/** An asset on a chain, or a market of a venue. */
const AssetEntry = z.union([
  z.strictObject({ chainId: ChainId, address: z.union([z.literal('native'), Address]) }),
  z.strictObject({ venue: z.string().min(1), symbol: z.string().min(1) }),
])

const ContractEntry = z.strictObject({
  chainId: ChainId,
  address: Address,
  selectors: z.array(z.string().regex(/^0x[0-9a-f]{8}$/, 'expected a 4-byte selector in lower case')).optional(),
})

/** The policy of one wallet (contract section 5). What is absent is not configured. */
export const Policy = z
  .strictObject({
    venues: z.strictObject({ allow: z.array(z.string().min(1)) }).optional(),
    chains: z.strictObject({ allow: z.array(ChainId) }).optional(),
    contracts: z.strictObject({ allow: z.array(ContractEntry) }).optional(),
    assets: z.strictObject({ allow: z.array(AssetEntry) }).optional(),
    recipients: z.strictObject({ allow: z.array(Address) }).optional(),
    sides: z.strictObject({ allow: z.array(z.enum(['buy', 'sell'])) }).optional(),
    slippage: z.strictObject({ maxBps: Bps }).optional(),
    priceBound: z.strictObject({ maxDeviationBps: Bps }).optional(),
    leverage: z
      .strictObject({
        max: Leverage.optional(),
        perMarket: z.record(z.string(), Leverage).optional(),
        maxPortfolio: Leverage.optional(),
      })
      .optional(),
    sinks: z.strictObject({ deny: z.array(Address) }).optional(),
    caps: z.strictObject({ perTxUsd: Usd.optional(), outflow24hUsd: Usd.optional() }).optional(),
    exposure: z.strictObject({ perProtocolUsd: z.record(z.string(), Usd) }).optional(),
    review: z.strictObject({ aboveUsd: Usd }).optional(),
    approvalTtlSeconds: z.int().min(5).max(86_400).optional(),
  })
  .meta({ id: 'Policy' })
export type Policy = z.output<typeof Policy>

/** Seconds an approval lives when neither the policy nor the configuration says. */
export const DEFAULT_APPROVAL_TTL_SECONDS = 120
