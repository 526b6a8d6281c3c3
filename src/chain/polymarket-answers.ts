import { z } from 'zod'
import { Address } from '../schema/primitives.ts'

/** What Polymarket's interfaces answer, as far as it is used. Prices and sizes are decimal texts. */
const Decimal = z.string().regex(/^\d{1,20}(\.\d{1,18})?$/)
const TokenId = z.string().regex(/^\d{1,78}$/)
/** 32 bytes, or 31 of a market of the second protocol. */
const ConditionId = z.string().regex(/^0x[0-9a-fA-F]{62,64}$/)
const Words = z.string().min(1).max(500)

/** `/markets-by-token/<id>`: the market that a token belongs to. */
export const MarketOfToken = z.looseObject({ condition_id: ConditionId })

/** `/clob-markets/<condition>`: how a market trades. `fd` is the fee's rate and exponent, `ao` whether it takes orders. */
export const TradedMarket = z.looseObject({
  t: z.array(z.looseObject({ t: TokenId, o: Words })).min(2),
  mts: z.number().positive().lt(1),
  nr: z.boolean().optional(),
  ao: z.boolean().optional(),
  fd: z
    .looseObject({
      r: z.number().min(0).max(1).default(0),
      e: z.number().min(0).max(10).default(0),
    })
    .nullish(),
})

/** `/markets/<condition>`: what a market asks. */
export const DescribedMarket = z.looseObject({
  condition_id: ConditionId,
  question: Words,
  market_slug: z.string().regex(/^[a-z0-9][a-z0-9-]{0,255}$/),
  tokens: z.array(z.looseObject({ token_id: TokenId, outcome: Words })).min(2),
})

/** `/book`: what is bid and asked for an outcome. */
export const Book = z.looseObject({
  market: ConditionId,
  asset_id: TokenId,
  bids: z.array(z.looseObject({ price: Decimal, size: Decimal })),
  asks: z.array(z.looseObject({ price: Decimal, size: Decimal })),
  min_order_size: Decimal,
  tick_size: Decimal,
  neg_risk: z.boolean(),
})

/** A list that the market interface carries as the text of a JSON array. */
function listText<item extends z.ZodType>(item: item) {
  return z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue({ code: 'custom', message: 'expected the text of a JSON array' })
        return z.NEVER
      }
    })
    .pipe(z.array(item))
}

/** A market as the market interface lists it: outcomes, their tokens and prices in one order. */
export const ListedMarket = z.looseObject({
  question: Words,
  slug: z.string().regex(/^[a-z0-9][a-z0-9-]{0,255}$/),
  outcomes: listText(Words),
  outcomePrices: listText(Decimal),
  clobTokenIds: listText(TokenId),
  closed: z.boolean().nullish(),
})

/** `/markets?slug=`; what is not listed as it should be is left out. */
export const MarketList = z.array(z.unknown())

/** `/public-search`: events, each with its markets. */
export const SearchAnswer = z.looseObject({
  events: z.array(z.looseObject({ markets: MarketList.nullish() })).nullish(),
})

/** `/positions` of the data interface. */
export const Holdings = z.array(
  z.looseObject({
    asset: TokenId,
    size: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
    curPrice: z.number().min(0).max(1),
  }),
)

/** What an API key is made of. */
export const Credentials = z.looseObject({
  apiKey: z.string().min(1).max(200),
  secret: z.string().regex(/^[A-Za-z0-9+/_=-]{8,200}$/),
  passphrase: z.string().min(1).max(200),
})

/** Answer to an order that was taken up. */
export const PostedOrder = z.looseObject({
  success: z.boolean(),
  errorMsg: z.string().nullish(),
  orderID: z.string().nullish(),
  status: z.string().nullish(),
})

/** Answer to what is refused. */
export const Refusal = z.looseObject({ error: z.string() })

/** `/data/order/<hash>`. */
export const OrderAnswer = z.looseObject({
  id: z.string(),
  status: z.string().min(1).max(64),
  original_size: Decimal,
  size_matched: Decimal,
})

/** `/data/orders`: one page of open orders. */
export const OpenOrderPage = z.looseObject({
  next_cursor: z.string(),
  data: z.array(
    z.looseObject({
      id: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
      asset_id: TokenId,
      maker_address: Address,
      side: z.enum(['BUY', 'SELL']),
      original_size: Decimal,
      size_matched: Decimal,
      price: Decimal,
      outcome: Words,
    }),
  ),
})

/** Answer to a cancel: which orders ended, and why the others did not. */
export const CancelAnswer = z.looseObject({
  canceled: z.array(z.string()),
  not_canceled: z.record(z.string(), z.string()).default({}),
})
