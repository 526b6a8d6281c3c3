import { z } from 'zod'
import { Address } from '../schema/primitives.ts'

/** Path of an agent's public records. */
export const AgentPath = z.strictObject({ ethereumAddress: Address })

/** Seconds that answers to anybody may be kept. */
export const PUBLIC_CACHE_SECONDS = 5

/** Seconds that what the service says of itself may be kept. */
export const SERVICE_CACHE_SECONDS = 60
