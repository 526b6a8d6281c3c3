/**
 * Every error code a caller can see, with its HTTP status (contract section 2).
 * Documented in docs/errors.md; a test keeps the two equal.
 */
export const ERROR_CODES = {
  invalid_request: 400,
  invalid_idempotency_key: 400,
  tx_hash_required: 400,
  unauthenticated: 401,
  insufficient_scope: 403,
  wallet_not_registered: 403,
  not_owner: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_approved: 409,
  cancelled: 409,
  already_executed: 409,
  idempotency_conflict: 409,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof ERROR_CODES

/** One field of a request that is wrong: its dotted path, and what would be right. */
export type FieldError = Readonly<{ path: string; message: string }>

/** A fault with a stable code. A refusal of the policy is a verdict, never an error. */
export class CountersignError extends Error {
  override readonly name = 'CountersignError'
  readonly code: ErrorCode
  readonly fields: readonly FieldError[]

  constructor(code: ErrorCode, message: string, options: ErrorOptions & { fields?: readonly FieldError[] } = {}) {
    super(message, options)
    this.code = code
    this.fields = options.fields ?? []
  }

  get status(): number {
    return ERROR_CODES[this.code]
  }

  get retryable(): boolean {
    return this.code === 'rate_limited' || this.code === 'unavailable'
  }
}

/** What can be said of anything thrown, without a stack trace. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
