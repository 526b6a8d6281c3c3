import { z } from 'zod'
import { Timestamp } from './primitives.ts'

/** One row of the audit log (contract section 8), chained by SHA-256 to the row before it. */
export const AuditEntry = z
  .strictObject({
    sequence: z.int().positive(),
    at: Timestamp,
    kind: z.string(),
    actor: z.string(),
    subject: z.string(),
    detail: z.json(),
    previousHash: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.output<typeof AuditEntry>
