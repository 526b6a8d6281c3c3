import { z } from 'zod'
import type { Address } from '../lib/address.ts'
import { Address as AddressSchema, ChainId } from '../schema/primitives.ts'
import data from './feeds.json' with { type: 'json' }
import { wrappedNative } from './venues.ts'

/** A Chainlink feed of an asset's price in US dollars. All of them answer with eight decimals. */
export type UsdFeed = Readonly<{
  chainId: number
  asset: Address | 'native'
  feed: Address
  /** What the feed calls itself, `ETH / USD`. */
  description: string
  /** The longest time between two answers that is normal, in seconds. */
  heartbeatSeconds: number
}>

const FeedsFile = z.strictObject({
  asOf: z.iso.date(),
  source: z.string(),
  heartbeats: z.string(),
  feeds: z.array(
    z.strictObject({
      chainId: ChainId,
      asset: z.union([z.literal('native'), AddressSchema]),
      feed: AddressSchema,
      description: z.string().min(1),
      heartbeatSeconds: z.int().positive(),
    }),
  ),
  pools: z.strictObject({
    source: z.string(),
    factories: z.array(z.strictObject({ chainId: ChainId, factory: AddressSchema })),
  }),
  sequencers: z.array(z.strictObject({ chainId: ChainId, feed: AddressSchema })),
})

const file = FeedsFile.parse(data)
const byAsset = new Map<string, UsdFeed>(file.feeds.map((f) => [`${f.chainId}:${f.asset}`, f]))

/** The price feed of an asset; the wrapped form of a chain's own coin has the coin's. */
export function usdFeed(chainId: number, asset: Address | 'native'): UsdFeed | undefined {
  return byAsset.get(`${chainId}:${asset === wrappedNative(chainId) ? 'native' : asset}`)
}

/** The feed that says whether a rollup's sequencer is up, where prices of a chain are worth nothing while it is down. */
export function sequencerUptimeFeed(chainId: number): Address | undefined {
  return file.sequencers.find((s) => s.chainId === chainId)?.feed
}

/** The factory of the pools that are a second opinion on prices: Uniswap v3. None on a chain whose pools mean nothing. */
export function poolFactoryOf(chainId: number): Address | undefined {
  return file.pools.factories.find((one) => one.chainId === chainId)?.factory
}
