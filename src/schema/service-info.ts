import { z } from 'zod'

/** Answer of `GET /` (contract section 8). */
export const ServiceInfo = z
  .strictObject({
    name: z.literal('countersign'),
    version: z.string(),
    schemaVersion: z.literal(1),
    documentation: z.string(),
    endpoints: z.array(z.string()).readonly(),
  })
  .meta({ id: 'ServiceInfo' })

/** Answer of the health routes (specification 4.6). `uptime` is in seconds. */
export const Health = z
  .strictObject({ status: z.literal('ok'), uptime: z.number().nonnegative() })
  .meta({ id: 'Health' })

/** Answer of the readiness route (contract section 1). */
export const Readiness = z
  .strictObject({
    status: z.enum(['ready', 'not_ready']),
    checks: z.record(z.string(), z.strictObject({ ok: z.boolean(), detail: z.string().optional() })),
  })
  .meta({ id: 'Readiness' })
