import {
  clobAuthDigest,
  createPolymarket,
  createPolymarketAccount,
  type Polymarket,
  type PolymarketAccount,
} from '../chain/index.ts'
import type { Config } from '../config.ts'
import { type OrderVenue, type PredictionReader, polymarketOrders } from '../harness/index.ts'
import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { ok, refuse } from '../lib/result.ts'
import { type AnySource, polymarketHoldings, polymarketMarkets } from '../policy/index.ts'
import type { Policy } from '../schema/policy.ts'
import { priceRoom } from './price-room.ts'

/** Polymarket as the process uses it. There is an account, and orders are placed, in direct mode alone. */
export type Predictions = Readonly<{
  venue: Polymarket
  account: PolymarketAccount | undefined
  sources: readonly AnySource[]
  orderVenues: readonly OrderVenue[]
}>

/** Who signs for the account: only what proves the address to the venue is ever asked for here. */
type Key = Readonly<{ address: Address; signDigest(digest: Hex): Promise<Hex> }>

/** The venue at the configured addresses. */
export function predictionsOf({ sources }: Pick<Config, 'sources'>, key: Key | undefined): Predictions {
  const { url, marketsUrl, dataUrl, account: trading } = sources.polymarket
  const now = () => Date.now()
  const venue = createPolymarket({ url, marketsUrl, dataUrl, now })
  const markets = polymarketMarkets(venue)
  if (key === undefined)
    return { venue, account: undefined, sources: [markets, polymarketHoldings(venue)], orderVenues: [] }
  const { address } = key
  const authorize = (at: number) => key.signDigest(clobAuthDigest(address, at))
  const account = createPolymarketAccount({ url, address, now, authorize })
  const accounts = trading === undefined ? [address] : [address, trading.address]
  return {
    venue,
    account,
    sources: [markets, polymarketHoldings(venue, { accounts, openOrders: account.openOrders })],
    orderVenues: [polymarketOrders(account, now)],
  }
}

/** Where the policy sets no bound. */
const DEFAULT_BOUND_BPS = 500

/** What the tools may read of the venue, for one wallet. */
export function predictionReader(
  { venue, account }: Predictions,
  { sources }: Pick<Config, 'sources'>,
  wallet: Address,
  policy: () => Promise<Policy | undefined>,
): PredictionReader {
  const { account: trading } = sources.polymarket
  return {
    find: venue.search,
    market: venue.listed,
    terms: async (id) => (await venue.market(id)).market ?? undefined,
    openOrders: async () =>
      account ? ok(await account.openOrders()) : refuse('Open orders are shown to a key alone, which direct mode has.'),
    account: makerOf(trading, wallet),
    boundBps: async () => priceRoom((await policy())?.priceBound?.maxDeviationBps, DEFAULT_BOUND_BPS),
  }
}

/** A deposit wallet is its own signer; the key signs for it all the same. */
function makerOf(trading: Config['sources']['polymarket']['account'], wallet: Address): PredictionReader['account'] {
  if (trading === undefined) return { maker: wallet, signer: wallet, signatureType: 0 }
  const { address: maker, signatureType } = trading
  return { maker, signer: signatureType === 3 ? maker : wallet, signatureType }
}
