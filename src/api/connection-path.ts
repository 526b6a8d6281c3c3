import { z } from 'zod'

/** Path of a connection request. A text that is no such name is simply not known. */
export const ConnectionPath = z.strictObject({ requestId: z.string().min(1).max(64) })
