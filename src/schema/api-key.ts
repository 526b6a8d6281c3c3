import { z } from 'zod'
import { Text, Timestamp } from './primitives.ts'
import { Scope } from './scope.ts'

/** Who holds a key (specification 2.12, contract section 3). */
export const KeyType = z.enum(['AGENT', 'USER', 'ADMIN', 'REVIEWER', 'INTEGRATION']).meta({ id: 'KeyType' })
export type KeyType = z.output<typeof KeyType>

/** Body of `POST /admin/api-keys`. An AGENT key names its agent, an INTEGRATION key its integrator; without `scopes` a key has all of its type. */
export const NewApiKey = z
  .strictObject({
    type: KeyType,
    agentId: z.string().min(1).max(64).optional(),
    appId: z.string().min(1).max(64).optional(),
    name: Text.min(1).max(128).optional(),
    scopes: z.array(Scope).min(1).readonly().optional(),
    expiresAt: Timestamp.optional(),
  })
  .meta({ id: 'NewApiKey' })
export type NewApiKey = z.output<typeof NewApiKey>

/** The only answer that ever carries a key. */
export const IssuedApiKey = z
  .strictObject({
    id: z.string(),
    apiKey: z.string(),
    type: KeyType,
    scopes: z.array(Scope).readonly(),
    /** First characters of the key, by which people tell keys apart. */
    prefix: z.string(),
    expiresAt: Timestamp.nullable(),
  })
  .meta({ id: 'IssuedApiKey' })
export type IssuedApiKey = z.output<typeof IssuedApiKey>
