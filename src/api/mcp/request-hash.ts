import { z } from 'zod'

/** The hash that names a submission. A text that is no hash is simply not known. */
export const RequestHash = z.string().min(1).max(128).describe('The requestHash that submit_action gave.')
