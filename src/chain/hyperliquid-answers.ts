import { z } from 'zod'

/** What the venue's info interface answers, as far as it is used. Numbers are decimal texts. */
const Number_ = z.string().regex(/^-?\d{1,40}(\.\d{1,40})?$/)
const Cloid = z.string().regex(/^0x[0-9a-f]{32}$/)

/** `metaAndAssetCtxs`: markets of perpetuals in the order of their ids, and their prices. */
export const PerpMarkets = z.tuple([
  z.looseObject({
    universe: z.array(
      z.looseObject({
        name: z.string().min(1).max(64),
        szDecimals: z.int().min(0).max(8),
        maxLeverage: z.int().positive(),
        isDelisted: z.boolean().optional(),
      }),
    ),
    collateralToken: z.int().optional(),
  }),
  z.array(z.looseObject({ markPx: Number_ })),
])

/** `perpDexs`: dexes of others by their numbers. The first is the venue's own, and null. */
export const PerpDexs = z.array(z.looseObject({ name: z.string().min(1).max(32) }).nullable()).max(1000)

/** `spotMetaAndAssetCtxs`: tokens, pairs, and their prices by the pair's name. */
export const SpotMarkets = z.tuple([
  z.looseObject({
    tokens: z.array(z.looseObject({ name: z.string(), szDecimals: z.int().min(0).max(8), index: z.int() })),
    universe: z.array(
      z.looseObject({ name: z.string(), tokens: z.tuple([z.int(), z.int()]), index: z.int().nonnegative() }),
    ),
  }),
  z.array(z.looseObject({ coin: z.string(), markPx: Number_ })),
])

/** `clearinghouseState`: positions of an account, and what is its own. */
export const AccountState = z.looseObject({
  marginSummary: z.looseObject({ accountValue: Number_ }),
  withdrawable: Number_,
  assetPositions: z.array(
    z.looseObject({
      position: z.looseObject({
        coin: z.string(),
        szi: Number_,
        leverage: z.looseObject({ type: z.string(), value: z.number().positive() }),
        entryPx: Number_.nullish(),
        unrealizedPnl: Number_,
        liquidationPx: Number_.nullish(),
      }),
    }),
  ),
})

/** `frontendOpenOrders`. Side B bids, side A asks. */
export const OpenOrders = z.array(
  z.looseObject({
    coin: z.string(),
    side: z.enum(['A', 'B']),
    limitPx: Number_,
    sz: Number_,
    oid: z.int(),
    reduceOnly: z.boolean().optional(),
    cloid: Cloid.nullish(),
  }),
)

/** `activeAssetData`: the leverage that is set for a market. */
export const AssetSetting = z.looseObject({ leverage: z.looseObject({ type: z.string(), value: z.int().positive() }) })

/** `orderStatus`. */
export const OrderAnswer = z.discriminatedUnion('status', [
  z.looseObject({ status: z.literal('unknownOid') }),
  z.looseObject({
    status: z.literal('order'),
    order: z.looseObject({
      status: z.string(),
      order: z.looseObject({ oid: z.int(), sz: Number_, origSz: Number_, cloid: Cloid.nullish() }),
    }),
  }),
])

/** What `/exchange` answers: each order's fate, or why nothing of it was taken. */
export const ExchangeAnswer = z.discriminatedUnion('status', [
  z.looseObject({
    status: z.literal('ok'),
    response: z.looseObject({
      type: z.string(),
      data: z.looseObject({ statuses: z.array(z.union([z.string(), z.record(z.string(), z.unknown())])) }).optional(),
    }),
  }),
  z.looseObject({ status: z.literal('err'), response: z.string() }),
])
export type ExchangeAnswer = z.output<typeof ExchangeAnswer>
