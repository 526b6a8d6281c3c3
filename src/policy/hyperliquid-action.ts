import { z } from 'zod'
import { type Address, toAddress } from '../lib/address.ts'
import { firstFieldError } from '../lib/field-errors.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import type { VenueAction } from '../schema/action.ts'

/** The venue hashes an action as it is written: numbers in their one form, addresses in lower case, members in order. */
const Decimal = z
  .string()
  .max(40)
  .regex(/^(0|[1-9]\d*)(\.\d*[1-9])?$/, 'expected a decimal number without needless zeros')
const Positive = Decimal.refine((text) => text !== '0', 'must be more than 0')
const Lower = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/, 'expected an address in lower case')
  .transform(toAddress)
const AssetId = z
  .int()
  .nonnegative()
  .max(2 ** 32)
const Cloid = z.string().regex(/^0x[0-9a-f]{32}$/, 'expected 0x and 32 hex digits in lower case')
const Count = z.int().nonnegative()

/** An order on the wire: market, side, price, size, reduce-only, kind, and the client's own id. */
export const WireOrder = z.strictObject({
  a: AssetId,
  b: z.boolean(),
  p: Positive,
  s: Decimal,
  r: z.boolean(),
  t: z.union([
    z.strictObject({ limit: z.strictObject({ tif: z.enum(['Gtc', 'Ioc', 'Alo', 'FrontendMarket']) }) }),
    z.strictObject({
      trigger: z.strictObject({ isMarket: z.boolean(), triggerPx: Positive, tpsl: z.enum(['tp', 'sl']) }),
    }),
  ]),
  c: Cloid.optional(),
})
export type WireOrder = z.output<typeof WireOrder>

const Changed = z.strictObject({ oid: z.union([Count, Cloid]), order: WireOrder })

/** Actions that are hashed with MessagePack and signed by an agent's name. Members stand in the venue's order. */
export const L1Action = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('order'),
    orders: z.array(WireOrder).min(1).max(20),
    grouping: z.enum(['na', 'normalTpsl', 'positionTpsl']),
    builder: z.strictObject({ b: Lower, f: Count.max(1000) }).optional(),
  }),
  z.strictObject({ type: z.literal('modify'), ...Changed.shape }),
  z.strictObject({ type: z.literal('batchModify'), modifies: z.array(Changed).min(1).max(20) }),
  z.strictObject({
    type: z.literal('cancel'),
    cancels: z
      .array(z.strictObject({ a: AssetId, o: Count }))
      .min(1)
      .max(100),
  }),
  z.strictObject({
    type: z.literal('cancelByCloid'),
    cancels: z
      .array(z.strictObject({ asset: AssetId, cloid: Cloid }))
      .min(1)
      .max(100),
  }),
  z.strictObject({ type: z.literal('scheduleCancel'), time: Count.optional() }),
  z.strictObject({ type: z.literal('twapCancel'), a: AssetId, t: Count }),
  z.strictObject({
    type: z.literal('twapOrder'),
    twap: z.strictObject({ a: AssetId, b: z.boolean(), s: Positive, r: z.boolean(), m: Count, t: z.boolean() }),
  }),
  z.strictObject({
    type: z.literal('updateLeverage'),
    asset: AssetId,
    isCross: z.boolean(),
    leverage: z.int().min(1).max(1000),
  }),
  z.strictObject({ type: z.literal('updateIsolatedMargin'), asset: AssetId, isBuy: z.boolean(), ntli: z.int() }),
  z.strictObject({ type: z.literal('vaultTransfer'), vaultAddress: Lower, isDeposit: z.boolean(), usd: Count }),
  z.strictObject({ type: z.literal('subAccountTransfer'), subAccountUser: Lower, isDeposit: z.boolean(), usd: Count }),
  z.strictObject({
    type: z.literal('subAccountSpotTransfer'),
    subAccountUser: Lower,
    isDeposit: z.boolean(),
    token: z.string(),
    amount: Positive,
  }),
])
export type L1Action = z.output<typeof L1Action>

/** Every user-signed action says where it holds. Only the venue's main network is a chain of this product. */
const user = {
  signatureChainId: z.string().regex(/^0x[1-9a-f][0-9a-f]{0,15}$/),
  hyperliquidChain: z.literal('Mainnet'),
}

/** Actions that are signed as messages of their own. */
export const UserAction = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('usdSend'), ...user, destination: Lower, amount: Positive, time: Count }),
  z.strictObject({
    type: z.literal('spotSend'),
    ...user,
    destination: Lower,
    token: z.string().max(64),
    amount: Positive,
    time: Count,
  }),
  z.strictObject({
    type: z.literal('sendAsset'),
    ...user,
    destination: Lower,
    sourceDex: z.enum(['', 'spot']),
    destinationDex: z.enum(['', 'spot']),
    token: z.string().max(64),
    amount: Positive,
    fromSubAccount: z.literal(''),
    nonce: Count,
  }),
  z.strictObject({ type: z.literal('withdraw3'), ...user, destination: Lower, amount: Positive, time: Count }),
  z.strictObject({ type: z.literal('usdClassTransfer'), ...user, amount: Positive, toPerp: z.boolean(), nonce: Count }),
  z.strictObject({
    type: z.literal('approveAgent'),
    ...user,
    agentAddress: Lower,
    agentName: z.string().max(64).optional(),
    nonce: Count,
  }),
  z.strictObject({
    type: z.literal('approveBuilderFee'),
    ...user,
    maxFeeRate: z.string().regex(/^(0|[1-9]\d*)(\.\d+)?%$/),
    builder: Lower,
    nonce: Count,
  }),
])
export type UserAction = z.output<typeof UserAction>

/** An action as it would be sent: what is hashed, its nonce in milliseconds, for which account, and until when. */
export type HyperliquidRequest = Readonly<{ nonce: number }> &
  (
    | Readonly<{ signedAs: 'agent'; action: L1Action; vaultAddress: Address | null; expiresAfter: number | null }>
    | Readonly<{ signedAs: 'user'; action: UserAction }>
  )

const Envelope = z.strictObject({
  protocol: z.literal('hyperliquid'),
  chainId: z.int(),
  action: z.looseObject({ type: z.string().max(64) }),
  nonce: z.int().positive(),
  vaultAddress: Lower.nullish(),
  expiresAfter: z.int().positive().nullish(),
})

const USER_TYPES: ReadonlySet<string> = new Set(UserAction.options.map(({ shape }) => shape.type.value))
const L1_TYPES: ReadonlySet<string> = new Set(L1Action.options.map(({ shape }) => shape.type.value))

/** Reads a request strictly, so that it has one form only: what is approved is what is hashed and sent, to the byte. */
export function readHyperliquid(proposed: VenueAction): Result<HyperliquidRequest> {
  const envelope = Envelope.safeParse(proposed)
  if (!envelope.success) return refuse(firstFieldError(envelope.error))
  const { action: said, nonce, vaultAddress = null, expiresAfter = null } = envelope.data
  const { type } = said
  if (!USER_TYPES.has(type) && !L1_TYPES.has(type)) return refuse(`an action of type "${type}" is not decoded`)
  const parsed = USER_TYPES.has(type) ? UserAction.safeParse(said) : L1Action.safeParse(said)
  if (!parsed.success) return refuse(firstFieldError(parsed.error, 'action'))
  // The order of members is hashed too, and an approval does not tell orders apart: only the venue's own is one.
  if (JSON.stringify(parsed.data) !== JSON.stringify(proposed['action']))
    return refuse('the members of "action" do not stand in the order of the venue')
  if (isUserAction(parsed.data)) {
    const own = 'time' in parsed.data ? parsed.data.time : parsed.data.nonce
    if (own !== nonce) return refuse('"nonce" is not the one of the action')
    if (vaultAddress !== null || expiresAfter !== null)
      return refuse('an action of the account itself has neither "vaultAddress" nor "expiresAfter"')
    return ok({ signedAs: 'user', action: parsed.data, nonce })
  }
  return ok({ signedAs: 'agent', action: parsed.data, nonce, vaultAddress, expiresAfter })
}

function isUserAction(action: L1Action | UserAction): action is UserAction {
  return USER_TYPES.has(action.type)
}
