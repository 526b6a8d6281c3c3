import { z } from 'zod'
import { Policy } from './policy.ts'
import { Address, Timestamp } from './primitives.ts'

/** One version of a wallet's policy (contract section 3). */
export const PolicyRecord = z
  .strictObject({
    walletAddress: Address,
    version: z.int().positive(),
    policy: Policy,
    createdAt: Timestamp,
    /** Id of the key that wrote it, or `start-up`. */
    createdBy: z.string(),
  })
  .meta({ id: 'PolicyRecord' })
export type PolicyRecord = z.output<typeof PolicyRecord>
