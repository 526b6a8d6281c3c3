import { z } from 'zod'

/** Path of a transaction. A text that is no hash is simply not known. */
export const TransactionPath = z.strictObject({ requestHash: z.string().min(1).max(128) })
