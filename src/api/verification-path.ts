import { z } from 'zod'

/** Path of a verification: its id or its requestHash. A text that is neither is simply not known. */
export const VerificationPath = z.strictObject({ id: z.string().min(1).max(128) })
