import { z } from 'zod'
import { ERROR_CODES, type ErrorCode } from '../lib/errors.ts'

/** Body of every error answer (RFC 9457, contract section 2). `error` is the stable name to switch on. */
export const Problem = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    error: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
    requestId: z.string(),
    errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' })
export type Problem = z.output<typeof Problem>
