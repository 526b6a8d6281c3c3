import { z } from 'zod'
import { EvmTx, FreeForm, ProposedTx } from './action.ts'
import { Policy } from './policy.ts'
import { Address, AddressText, ChainId, Hash, Text, Timestamp } from './primitives.ts'
import { Verdict } from './verdict.ts'

/** Body of `POST /integrator/verifications` (contract section 7). */
export const VerificationRequest = z
  .strictObject({
    walletAddress: AddressText,
    proposedTx: ProposedTx,
    prompt: Text.min(1).optional(),
    metadata: FreeForm.optional(),
  })
  .meta({ id: 'VerificationRequest' })
export type VerificationRequest = z.output<typeof VerificationRequest>

/** How far a verification got (contract section 7). `PENDING` says nothing of the verdict, which is authoritative. */
const VerificationStatus = z.enum(['PENDING', 'EXECUTED', 'CANCELLED', 'EXPIRED'])
export type VerificationStatus = z.output<typeof VerificationStatus>

/** A verification with its verdict (specification 2.10, contract section 7). */
export const Verification = z
  .strictObject({
    id: z.string(),
    requestHash: Hash,
    walletAddress: Address,
    status: VerificationStatus,
    verdict: Verdict.nullable(),
    /** As it was sent. */
    proposedTx: z.union([EvmTx, z.looseObject({ protocol: z.string(), chainId: ChainId })]),
    execution: z
      .strictObject({
        txHash: Hash.optional(),
        orderId: z.string().optional(),
        cloid: z.string().optional(),
        reportedAt: Timestamp,
      })
      .nullable(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Verification' })
export type Verification = z.output<typeof Verification>

/** A wallet's current policy as an integrator reads it (contract section 7). */
export const IntegratorPolicy = z
  .strictObject({
    walletAddress: Address,
    chainIds: z.array(ChainId).readonly(),
    version: z.int().positive(),
    policy: Policy,
    createdAt: Timestamp,
  })
  .meta({ id: 'IntegratorPolicy' })
export type IntegratorPolicy = z.output<typeof IntegratorPolicy>

/** What an execution is reported by (contract section 7): on chain `txHash`, at a typed-data venue `orderId` or `cloid`. */
export const ExecutionClaim = z
  .strictObject({
    txHash: Hash.optional(),
    orderId: z
      .union([z.string().regex(/^[\x21-\x7e]{1,128}$/), z.int().nonnegative()])
      .transform(String)
      .optional(),
    cloid: z
      .string()
      .regex(/^0x[0-9a-fA-F]{32}$/, 'expected 0x and 32 hex digits')
      .optional(),
  })
  .meta({ id: 'ExecutionReport' })
export type ExecutionClaim = z.output<typeof ExecutionClaim>
