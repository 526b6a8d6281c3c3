import { z } from 'zod'

/**
 * What went wrong with a call of the Bot API, without its address, which has the token in it. No status where nothing was
 * answered; `isUnsent` where nothing can have arrived.
 */
export type Fault = Readonly<{
  status: number | undefined
  description: string
  retryAfterMs: number | undefined
  isUnsent: boolean
}>

const Answered = z.object({
  error_code: z.int(),
  description: z.string(),
  parameters: z.object({ retry_after: z.number().optional() }).optional(),
})
const Unanswered = z.object({ error: z.object({ code: z.string().optional(), type: z.string().optional() }) })

/** Codes of a connection that was never there. */
const NO_CONNECTION = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Reads what the library throws: an answer of the server, or a failed request. */
export function faultOf(thrown: unknown): Fault {
  const answered = Answered.safeParse(thrown)
  if (answered.success) {
    const { error_code: status, description, parameters } = answered.data
    const seconds = parameters?.retry_after
    return { status, description, retryAfterMs: seconds === undefined ? undefined : seconds * 1_000, isUnsent: false }
  }
  const { code = '' } = Unanswered.safeParse(thrown).data?.error ?? {}
  const description = code === '' ? 'no answer' : `no answer (${code})`
  return { status: undefined, description, retryAfterMs: undefined, isUnsent: NO_CONNECTION.has(code) }
}
