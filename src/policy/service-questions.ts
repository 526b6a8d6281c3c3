import { z } from 'zod'
import type { Answer, Client, OperationId } from '../client/index.ts'
import { CountersignError, ERROR_CODES, type ErrorCode } from '../lib/errors.ts'
import { type SubmitRequest, TransactionRecord } from '../schema/action.ts'
import { pageOf } from '../schema/page.ts'
import { SignedReceipt } from '../schema/receipt.ts'
import { Verdict } from '../schema/verdict.ts'
import type { BackOff } from './back-off.ts'
import { isRecordOf } from './foreign-verdict.ts'

/** What an answer of a service comes to: what was asked for, a trouble after which it is asked again, or its no. */
export type Word<T> =
  | Readonly<{ kind: 'said'; value: T }>
  | Readonly<{ kind: 'trouble'; wasSent: boolean; why: string; retryAfterMs: number }>
  | Readonly<{ kind: 'no'; fault: CountersignError }>

/** The verdict so far: undecided, or one that awaits a person, or a decision. */
export type Standing = Readonly<{ verdict: Verdict | null; isHeld: boolean }>

/** How many of one's newest submissions are looked through for one that was not answered. */
const LOOKED_THROUGH = '50'
const LONGEST_WORDS = 300
/** What two clocks may differ by (ms): one that is older is of another time. */
const CLOCKS_MS = 60_000

/** Specification 2.4 and 2.9: the verdict may be absent, and a service may send more. */
const Envelope = z.looseObject({
  verdict: Verdict.nullish(),
  reviewer: z.array(z.looseObject({ decision: z.string() })).optional(),
})
const Receipt = SignedReceipt.strip()
const Records = pageOf(TransactionRecord.strip()).strip()

/** An answer that is outside its schema is none: nothing is read into it. */
export function wordOf<id extends OperationId, T>(answer: Answer<id>, schema: z.ZodType<T>): Word<T> {
  if (answer.ok) {
    const parsed = schema.safeParse(answer.body)
    if (parsed.success) return { kind: 'said', value: parsed.data }
    return no('unavailable', 'answered with something malformed, which is no approval')
  }
  if (answer.status === null) return { kind: 'trouble', wasSent: answer.wasSent, why: answer.reason, retryAfterMs: 0 }
  const { status, problem, retryAfterMs = 0 } = answer
  if (status === 429) return { kind: 'trouble', wasSent: false, why: 'allows no more requests just now', retryAfterMs }
  if (status >= 500) return { kind: 'trouble', wasSent: true, why: `cannot answer (status ${status})`, retryAfterMs }
  if (status === 401) return no('unauthenticated', 'does not know the key in SERVICE_API_KEY')
  const code = problem !== undefined && Object.hasOwn(ERROR_CODES, problem.error) ? problem.error : 'conflict'
  return no(code, `refused (${status}): ${(problem?.detail ?? 'it gave no reason').slice(0, LONGEST_WORDS)}`)
}

function no(code: ErrorCode, why: string): Word<never> {
  return { kind: 'no', fault: new CountersignError(code, `The policy service ${why}`) }
}

/**
 * Submits, until the service has it. A submission of which nobody knows whether it arrived is never blindly repeated: it
 * is looked for first, by the hash that binds its id to its bytes (specification 7.1).
 *
 * @param isKnown whether a requestHash is another submission's, which was answered
 */
export async function place(
  client: Client,
  request: SubmitRequest,
  pauses: BackOff,
  isKnown: (requestHash: string) => Promise<boolean>,
): Promise<TransactionRecord> {
  const since = Date.now() - CLOCKS_MS
  let mayBeThere = false
  for (;;) {
    if (mayBeThere) {
      const listed = wordOf(await client.call('listTransactions', { query: { limit: LOOKED_THROUGH } }), Records)
      if (listed.kind === 'no') throw listed.fault
      if (listed.kind === 'trouble') {
        await pauses.trouble(listed.why, listed.retryAfterMs)
        continue
      }
      pauses.answered()
      for (const record of listed.value.items)
        if (Date.parse(record.createdAt) > since && isRecordOf(record, request) && !(await isKnown(record.requestHash)))
          return record
    }
    const word = wordOf(await client.call('submitTransaction', { body: bodyOf(request) }), TransactionRecord.strip())
    if (word.kind === 'no') throw word.fault
    if (word.kind === 'said') {
      pauses.answered()
      if (isRecordOf(word.value, request)) return word.value
      throw new CountersignError('unavailable', 'The policy service answered for other bytes than it was sent.')
    }
    mayBeThere ||= word.wasSent
    await pauses.trouble(word.why, word.retryAfterMs)
  }
}

/** As the wire has it: what is undefined is left out, and the routing is named. */
function bodyOf(request: SubmitRequest) {
  return { ...request, arbiter: 'policy' as const }
}

/** How the service stands to a submission now. */
export async function ask(client: Client, requestHash: string): Promise<Word<Standing>> {
  const word = wordOf(await client.call('readApprovalStatus', { params: { requestHash } }), Envelope)
  if (word.kind !== 'said') return word
  const { verdict = null, reviewer = [] } = word.value
  const isHeld = verdict?.outcome === 'pending' && reviewer.some(({ decision }) => decision === 'UNDECIDED')
  return { kind: 'said', value: { verdict, isHeld } }
}

/** The signed receipt of a decision. */
export async function askReceipt(client: Client, requestHash: string): Promise<Word<SignedReceipt>> {
  return wordOf(await client.call('readReceipt', { params: { requestHash } }), Receipt)
}
