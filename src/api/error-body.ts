import { CountersignError, ERROR_CODES, type ErrorCode } from '../lib/errors.ts'
import type { Problem } from '../schema/problem.ts'

/** Media type of every error answer (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json'

/** A short sentence for each code, the same for every occurrence. */
export function titleOf(code: ErrorCode): string {
  const words = code.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The error body of anything thrown. What is no `CountersignError` says nothing of itself to the caller. */
export function problemOf(thrown: unknown, requestId: string): Problem {
  if (!(thrown instanceof CountersignError) || thrown.code === 'internal')
    return body(
      'internal',
      'The service failed; nothing was approved. Quote the requestId when you report it.',
      requestId,
    )
  const problem = body(thrown.code, thrown.message, requestId)
  return thrown.fields.length === 0 ? problem : { ...problem, errors: [...thrown.fields] }
}

function body(code: ErrorCode, detail: string, requestId: string): Problem {
  return {
    type: `urn:countersign:error:${code}`,
    title: titleOf(code),
    status: ERROR_CODES[code],
    detail,
    error: code,
    requestId,
  }
}
