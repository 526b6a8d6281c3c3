import { z } from 'zod'
import { Hash } from './primitives.ts'

/**
 * One row of the audit log (contract section 8), exactly as it is chained: `hash` is the SHA-256 of the canonical JSON
 * (RFC 8785) of all other members, and `previousHash` is the `hash` of the row before it.
 */
export const AuditEntry = z
  .strictObject({
    seq: z.int().positive(),
    previousHash: Hash,
    hash: Hash,
    /** Milliseconds since 1970, by the database's clock. */
    at: z.int().positive(),
    kind: z.string(),
    subject: z.string(),
    payload: z.unknown(),
  })
  .meta({ id: 'AuditEntry' })
