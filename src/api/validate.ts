import type { z } from 'zod'
import { CountersignError, type ErrorCode, type FieldError } from '../lib/errors.ts'
import { fieldErrors } from '../lib/field-errors.ts'

/** Longest list of wrong fields that one answer names. */
const MAX_FIELDS = 32

/** A part of a request that has passed its schema, or the fields that are wrong. */
export type Checked = Readonly<{ value: unknown; wrong: readonly FieldError[] }>

/** Parses one part of a request. `whole` names the part where the fault is no field of it. */
export function check(schema: z.ZodType, input: unknown, whole: string): Checked {
  const parsed = schema.safeParse(input)
  if (parsed.success) return { value: parsed.data, wrong: [] }
  return { value: undefined, wrong: fieldErrors(parsed.error, whole) }
}

/** A part of a request by its schema. @throws CountersignError `invalid_request` */
export function checked<output>(schema: z.ZodType<output>, input: unknown, whole: string): output {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw invalid(fieldErrors(parsed.error, whole))
}

/** The error that names each wrong field. */
export function invalid(
  wrong: readonly FieldError[],
  { code = 'invalid_request', cause }: Readonly<{ code?: ErrorCode | undefined; cause?: unknown }> = {},
): CountersignError {
  const fields = wrong.slice(0, MAX_FIELDS)
  const detail = fields.map(({ path, message }) => `${path}: ${message}`).join('; ')
  return new CountersignError(code, `The request is not valid. ${detail}`, { fields, cause })
}
