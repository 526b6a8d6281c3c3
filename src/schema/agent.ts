import { z } from 'zod'
import { Address, ChainId, Text, Timestamp } from './primitives.ts'

/** A wallet and the chains it is registered for (contract section 3). */
export const Wallet = z
  .strictObject({
    address: Address,
    chainIds: z
      .array(ChainId)
      .min(1)
      .max(32)
      .refine((ids) => new Set(ids).size === ids.length, 'names a chain twice')
      .readonly(),
  })
  .meta({ id: 'Wallet' })
export type Wallet = z.output<typeof Wallet>

/** An agent: who submits, and with which wallets (contract section 3). `ethereumAddress` is its public identity. */
export const Agent = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    ethereumAddress: Address,
    wallets: z.array(Wallet).readonly(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Agent' })
export type Agent = z.output<typeof Agent>

/** Body of `POST /admin/agents`. */
export const NewAgent = z
  .strictObject({
    name: Text.min(1).max(128),
    ethereumAddress: Address,
    wallets: z.array(Wallet).max(32).readonly().optional(),
  })
  .meta({ id: 'NewAgent' })
export type NewAgent = z.output<typeof NewAgent>
