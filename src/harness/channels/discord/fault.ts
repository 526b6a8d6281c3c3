import { z } from 'zod'

/** What went wrong with a request, without its address, which may have a token in it. No status where nothing was answered. */
export type DiscordFault = Readonly<{
  status: number | undefined
  description: string
  retryAfterMs: number | undefined
  /** Nothing can have arrived. */
  isUnsent: boolean
}>

/** Milliseconds (https://discord.js.org/docs/packages/rest/main/RateLimitError:Class). */
const Limited = z.object({ retryAfter: z.number(), timeToReset: z.number() })
const Answered = z.object({ status: z.int(), message: z.string().default('') })
const Unanswered = z.object({
  code: z.string().optional(),
  cause: z.object({ code: z.string().optional() }).optional(),
})

const NO_CONNECTION = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Reads what the library throws: a limit, an answer of the server, or a failed request. */
export function faultOf(thrown: unknown): DiscordFault {
  const limited = Limited.safeParse(thrown)
  if (limited.success)
    return { status: 429, description: 'rate limited', retryAfterMs: limited.data.retryAfter, isUnsent: true }
  const answered = Answered.safeParse(thrown)
  if (answered.success) {
    const { status, message } = answered.data
    return { status, description: `${status} ${message.slice(0, 200)}`, retryAfterMs: undefined, isUnsent: false }
  }
  const { code = '', cause } = Unanswered.safeParse(thrown).data ?? {}
  const reason = cause?.code ?? code
  const description = reason === '' ? 'no answer' : `no answer (${reason})`
  return { status: undefined, description, retryAfterMs: undefined, isUnsent: NO_CONNECTION.has(reason) }
}
