import { z } from 'zod'
import { Wallet } from './agent.ts'
import { Address, Text } from './primitives.ts'

/** Body of `POST /admin/integrators` (contract section 3). */
export const NewIntegrator = z.strictObject({ name: Text.min(1).max(128) }).meta({ id: 'NewIntegrator' })
export type NewIntegrator = z.output<typeof NewIntegrator>

/** The only answer that carries an integrator's key. */
export const IssuedIntegrator = z
  .strictObject({ appId: z.string(), name: z.string(), apiKey: z.string() })
  .meta({ id: 'IssuedIntegrator' })
export type IssuedIntegrator = z.output<typeof IssuedIntegrator>

/** A wallet that an integrator may ask about, and on which chains (contract section 3). */
export const IntegratorWallet = z
  .strictObject({ walletAddress: Address, chainIds: Wallet.shape.chainIds })
  .meta({ id: 'IntegratorWallet' })
export type IntegratorWallet = z.output<typeof IntegratorWallet>
