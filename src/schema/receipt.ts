import { z } from 'zod'
import { Address, ChainId, Hash, Timestamp } from './primitives.ts'
import { ReasonCode } from './verdict.ts'

/** What the service stands for with its signature: one decision about exactly one action (contract section 8). */
export const Receipt = z
  .strictObject({
    schemaVersion: z.literal(1),
    requestHash: Hash,
    /** Keccak-256 over the canonical form of the action. */
    actionHash: Hash,
    wallet: Address,
    chainId: ChainId,
    outcome: z.enum(['approved', 'rejected']),
    reasonCode: ReasonCode,
    policyVersion: z.int().nullable(),
    /** SHA-256 over the canonical form of the whole verdict. */
    verdictHash: Hash,
    issuedAt: Timestamp,
    /** After this moment an approval is worth nothing; null where nothing was approved. */
    expiresAt: Timestamp.nullable(),
  })
  .meta({ id: 'Receipt' })
export type Receipt = z.output<typeof Receipt>

/** A receipt with its Ed25519 signature over the canonical JSON (RFC 8785) of `receipt`. Keys and signatures are hex. */
export const SignedReceipt = z
  .strictObject({
    receipt: Receipt,
    publicKey: z.string().regex(/^0x[0-9a-f]{64}$/),
    signature: z.string().regex(/^0x[0-9a-f]{128}$/),
  })
  .meta({ id: 'SignedReceipt' })
export type SignedReceipt = z.output<typeof SignedReceipt>

/** An approval as EIP-712 typed data, for contracts: times in Unix seconds, hashes as they are in the receipt. */
export const TypedReceipt = z
  .strictObject({
    domain: z.strictObject({ name: z.string(), version: z.string(), chainId: ChainId }),
    primaryType: z.literal('Approval'),
    types: z.record(z.string(), z.array(z.strictObject({ name: z.string(), type: z.string() })).readonly()),
    message: z.strictObject({
      requestHash: Hash,
      actionHash: Hash,
      wallet: Address,
      chainId: z.string(),
      outcome: z.literal('approved'),
      policyVersion: z.string(),
      issuedAt: z.string(),
      expiresAt: z.string(),
    }),
    /** The attestation address: the verification service's inbox. */
    signer: Address,
    signature: z.string().regex(/^0x[0-9a-f]{130}$/),
  })
  .meta({ id: 'TypedReceipt' })
export type TypedReceipt = z.output<typeof TypedReceipt>
