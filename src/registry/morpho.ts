import { z } from 'zod'
import type { Address } from '../lib/address.ts'
import { type Hex, keccak256 } from '../lib/hash.ts'
import { Address as AddressSchema, ChainId } from '../schema/primitives.ts'
import data from './morpho-markets.json' with { type: 'json' }

/** What makes a market of Morpho Blue: anybody opens one with any oracle, and `lltv` (in parts of 1e18) is how much is lent. */
export type MarketParams = Readonly<{
  loanToken: Address
  collateralToken: Address
  oracle: Address
  irm: Address
  lltv: bigint
}>

/** A market that is known. */
export type MorphoMarket = MarketParams & Readonly<{ chainId: number; name: string; id: Hex }>

const MarketsFile = z.strictObject({
  asOf: z.iso.date(),
  source: z.string(),
  markets: z.array(
    z.strictObject({
      chainId: ChainId,
      name: z.string(),
      loanToken: AddressSchema,
      collateralToken: AddressSchema,
      oracle: AddressSchema,
      irm: AddressSchema,
      lltv: z.string().regex(/^\d{1,18}$/),
    }),
  ),
})

const markets: readonly MorphoMarket[] = MarketsFile.parse(data).markets.map((market) => {
  const params = { ...market, lltv: BigInt(market.lltv) }
  return { ...params, id: morphoMarketId(params) }
})
const byPlace: ReadonlyMap<string, MorphoMarket> = new Map(markets.map((m) => [`${m.chainId}:${m.id}`, m]))

/** The id of a market: the hash of what makes it. Source: `MarketParamsLib` of Morpho Blue. */
export function morphoMarketId({ loanToken, collateralToken, oracle, irm, lltv }: MarketParams): Hex {
  const addresses = [loanToken, collateralToken, oracle, irm].map((one) => one.slice(2))
  return keccak256(Buffer.from([...addresses, lltv.toString(16)].map((word) => word.padStart(64, '0')).join(''), 'hex'))
}

/** The known markets of a chain. */
export function morphoMarketsOf(chainId: number): readonly MorphoMarket[] {
  return markets.filter((market) => market.chainId === chainId)
}

/** The known market of an id. */
export function morphoMarketAt(chainId: number, id: Hex): MorphoMarket | undefined {
  return byPlace.get(`${chainId}:${id}`)
}
