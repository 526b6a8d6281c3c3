import { z } from 'zod'

/** What an action does with value, in a word. */
export const LEG_KINDS = [
  'transfer',
  'swap',
  'approve',
  'revoke',
  'wrap',
  'unwrap',
  'supply',
  'withdraw',
  'borrow',
  'repay',
  'authorize',
  'configure',
  'order',
  'cancel',
] as const

/** Value that leaves or arrives: `amount` in the asset's smallest unit, and what the chain guarantees about it. */
export const DecodedFlow = z.strictObject({
  /** Token address, or `native`. */
  asset: z.string(),
  amount: z.string().regex(/^\d+$/),
  bound: z.enum(['exact', 'max', 'min']),
  /** Who pays, for what leaves; who receives, for what arrives. */
  party: z.string(),
})

/** A right to spend that an action gives away. */
export const DecodedGrant = z.strictObject({
  asset: z.string(),
  owner: z.string(),
  spender: z.string(),
  amount: z.string().regex(/^\d+$/),
  unlimited: z.boolean(),
  expiresAt: z.int().nullable(),
})

/** What changes in an account that a venue keeps. `amount` null is all there is. */
export const DecodedPosition = z.strictObject({
  market: z.string(),
  /** Which of the market's own, where one contract keeps many. */
  marketId: z.string().optional(),
  side: z.enum(['supply', 'debt']),
  change: z.enum(['increase', 'decrease']),
  asset: z.string(),
  amount: z.string().regex(/^\d+$/).nullable(),
  party: z.string(),
})

/** A right over an account at a venue that no amount limits. */
export const DecodedControl = z.strictObject({ owner: z.string(), operator: z.string(), granted: z.boolean() })

/** A setting of an account at a venue. */
export const DecodedSetting = z.strictObject({
  market: z.string(),
  name: z.string(),
  asset: z.string().nullable(),
  value: z.string(),
})

/** An order at a venue: decimal texts in units of the market, as the venue takes them. */
export const DecodedOrder = z.strictObject({
  /** The venue's own number or id of the market. */
  market: z.string(),
  /** Its symbol, where a source of the venue said it. */
  symbol: z.string().nullable(),
  side: z.enum(['buy', 'sell']),
  size: z.string(),
  /** The worst price it may be filled at; null where nothing bounds it. */
  price: z.string().nullable(),
  trigger: z.string().nullable(),
  reduceOnly: z.boolean(),
  timeInForce: z.string(),
  cloid: z.string().nullable(),
  account: z.string(),
  feeTo: z.string().nullable(),
})

/** A change of a market's leverage. */
export const DecodedLeverage = z.strictObject({
  market: z.string(),
  symbol: z.string().nullable(),
  leverage: z.int().positive(),
  margin: z.enum(['cross', 'isolated']),
})

/** One leg of a decoded action, as the verdict's evidence shows it. */
export const DecodedLeg = z.strictObject({
  protocol: z.string(),
  chainId: z.int(),
  kind: z.enum(LEG_KINDS),
  spends: z.array(DecodedFlow).readonly(),
  receives: z.array(DecodedFlow).readonly(),
  grants: z.array(DecodedGrant).readonly(),
  positions: z.array(DecodedPosition).readonly().optional(),
  controls: z.array(DecodedControl).readonly().optional(),
  setting: DecodedSetting.optional(),
  order: DecodedOrder.optional(),
  leverage: DecodedLeverage.optional(),
  margin: z
    .string()
    .regex(/^-?\d+$/)
    .optional(),
  deadline: z.int().nullable(),
})
export type DecodedLeg = z.output<typeof DecodedLeg>

/** Where an account that trades with margin would stand after the action. Dollars and prices are decimal texts. */
export const DecodedProjection = z.strictObject({
  /** All positions, with the worse side of all open orders and of this action filled. */
  notionalUsd: z.string(),
  /** What is its own. */
  equityUsd: z.string(),
  /** The one over the other; null where nothing is its own. */
  leverage: z.string().nullable(),
  /** Of each market of the action: about where the venue would close the position, and how far that is from the mark. */
  liquidations: z
    .array(
      z.strictObject({
        market: z.string(),
        symbol: z.string(),
        price: z.string().nullable(),
        distanceBps: z.int().nonnegative().nullable(),
        /** Why there is no price: no position is left, the account covers it to the last, or the venue alone knows. */
        why: z.enum(['nothing held', 'covered', 'unknown']).nullable(),
      }),
    )
    .readonly(),
})
export type DecodedProjection = z.output<typeof DecodedProjection>

/** `evidence.decodedAction`: always protocol and chain, and all that was understood. */
export const DecodedSummary = z.looseObject({
  protocol: z.string(),
  chainId: z.int(),
  projection: DecodedProjection.optional(),
})
