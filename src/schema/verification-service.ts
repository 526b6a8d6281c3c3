import { z } from 'zod'
import { CheckName } from './check.ts'
import { Address, ChainId, Timestamp } from './primitives.ts'

/** A verification service: who decides, and by which keys that can be checked (specification 2.13, contract section 8). */
export const VerificationService = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    /** Signs the EIP-712 form of approvals; the same as `inbox`. */
    address: Address,
    inbox: Address,
    /** Ed25519, 32 bytes in hex: checks receipts. */
    publicKey: z.string().regex(/^0x[0-9a-f]{64}$/),
    active: z.boolean(),
    checks: z.array(CheckName).readonly(),
    venues: z.array(z.string()).readonly(),
    chains: z.array(ChainId).readonly(),
    schemaVersion: z.literal(1),
    createdAt: Timestamp,
  })
  .meta({ id: 'VerificationService' })
export type VerificationService = z.output<typeof VerificationService>
