import { z } from 'zod'
import { AddressText, ChainId, Hex, Quantity, Text, Timestamp } from './primitives.ts'

/** Venue identifier: the caller's word for where the action goes. */
const Protocol = z.string().min(1).max(64)

/** The canonical on-chain action an agent proposes (specification 2.1), exactly as received: it is hashed as it is. */
export const EvmTx = z
  .strictObject({
    protocol: Protocol,
    chainId: ChainId,
    to: AddressText,
    data: Hex,
    value: Quantity,
    nonce: z.union([z.string().max(78), z.int().nonnegative()]).optional(),
  })
  .meta({ id: 'EvmTx' })
export type EvmTx = z.output<typeof EvmTx>

/** Venues whose actions are signed messages with structured fields of their own. */
const ORDER_VENUES = ['hyperliquid', 'polymarket'] as const

/** A venue-native action (specification 2.1): the venue's own fields stand beside `protocol` and `chainId`. */
export const VenueAction = z
  .looseObject({ protocol: z.enum(ORDER_VENUES), chainId: ChainId })
  .meta({ id: 'VenueAction' })
export type VenueAction = z.output<typeof VenueAction>

/** A message to be signed, in the form of EIP-712 that wallets take. */
export const TypedData = z
  .strictObject({
    domain: z.record(z.string(), z.json()),
    types: z.record(z.string().max(128), z.array(z.strictObject({ name: z.string(), type: z.string() })).max(32)),
    primaryType: z.string().max(128),
    message: z.record(z.string(), z.json()),
  })
  .meta({ id: 'TypedData' })
export type TypedData = z.output<typeof TypedData>

/** A right that a signature alone gives away: permits of tokens and of Permit2, transfers by authorization. */
export const PermitAction = z
  .strictObject({ protocol: z.enum(['permit2', 'erc20']), chainId: ChainId, typedData: TypedData })
  .meta({ id: 'PermitAction' })
export type PermitAction = z.output<typeof PermitAction>

/** An order that its owner signs and anybody may settle on chain: CoW Protocol, UniswapX, limit orders of 1inch. */
export const OrderMessage = z
  .strictObject({
    protocol: z.enum(['cow', 'uniswapx', '1inch']),
    chainId: ChainId,
    typedData: TypedData,
    /** Of CoW Protocol: the document that the order's `appData` is the hash of, as it was hashed. */
    appData: z.string().max(8192).optional(),
  })
  .meta({ id: 'OrderMessage' })
export type OrderMessage = z.output<typeof OrderMessage>

/** An action that is signed, not sent as a transaction. */
export const TypedDataAction = z.union([PermitAction, OrderMessage, VenueAction]).meta({ id: 'TypedDataAction' })
export type TypedDataAction = z.output<typeof TypedDataAction>

/** A proposed action: an EVM transaction, or one that is signed for a venue or a token. */
export const ProposedTx = z.union([EvmTx, PermitAction, OrderMessage, VenueAction]).meta({ id: 'ProposedTx' })
export type ProposedTx = z.output<typeof ProposedTx>

/** Whether an action is an EVM transaction. */
export function isEvmTx(tx: ProposedTx): tx is EvmTx {
  return 'to' in tx && 'data' in tx && 'value' in tx
}

/** Context that is no part of the action: any JSON. */
export const FreeForm = z.record(z.string(), z.json())

/** Body of `POST /transactions` (specification 2.1). */
export const SubmitRequest = z
  .strictObject({
    escrowAddress: AddressText,
    prompt: Text.min(1),
    proposedTx: ProposedTx,
    metadata: FreeForm.optional(),
    contextLogs: FreeForm.optional(),
    executionSignature: z.string().optional(),
    arbiter: z.literal('policy').optional(),
  })
  .meta({ id: 'SubmitRequest' })
export type SubmitRequest = z.output<typeof SubmitRequest>

/** Chain of the legacy shape where it names none (contract section 4). */
const LEGACY_CHAIN_ID = 11_155_111

/** Body of `POST /transactions` in the shape of the shell skill (specification 2.2, contract section 4). */
export const LegacySubmitRequest = z
  .strictObject({
    escrowAddress: AddressText,
    userPrompt: Text.min(1),
    tx: z.strictObject({ to: AddressText, value: Quantity, data: Hex }),
    chainId: ChainId.default(LEGACY_CHAIN_ID),
    contextLogs: FreeForm.optional(),
  })
  .meta({ id: 'LegacySubmitRequest' })
export type LegacySubmitRequest = z.output<typeof LegacySubmitRequest>

/** Lifecycle of a transaction (contract section 4). Not the verdict. */
export const TransactionStatus = z
  .enum(['PENDING', 'APPROVED', 'REJECTED', 'EXECUTED', 'CANCELLED', 'EXPIRED', 'FAILED'])
  .meta({ id: 'TransactionStatus' })
export type TransactionStatus = z.output<typeof TransactionStatus>

/** Response of `POST /transactions` (specification 2.3). */
export const TransactionRecord = z
  .strictObject({
    id: z.string(),
    requestHash: z.string().min(1),
    description: z.string(),
    status: TransactionStatus,
    createdAt: Timestamp,
  })
  .meta({ id: 'TransactionRecord' })
export type TransactionRecord = z.output<typeof TransactionRecord>
