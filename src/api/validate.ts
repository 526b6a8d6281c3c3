import type { z } from 'zod'
import { CountersignError, type FieldError } from '../lib/errors.ts'

type Issue = z.core.$ZodIssue

/** Longest list of wrong fields that one answer names. */
const MAX_FIELDS = 32

/** A part of a request that has passed its schema, or the fields that are wrong. */
export type Checked = Readonly<{ value: unknown; wrong: readonly FieldError[] }>

/** Parses one part of a request. `whole` names the part where the fault is no field of it. */
export function check(schema: z.ZodType, input: unknown, whole: string): Checked {
  const parsed = schema.safeParse(input)
  if (parsed.success) return { value: parsed.data, wrong: [] }
  return { value: undefined, wrong: parsed.error.issues.flatMap((issue) => fieldErrors(issue, [], whole)) }
}

/** The error that names each wrong field. */
export function invalid(wrong: readonly FieldError[], cause?: unknown): CountersignError {
  const fields = wrong.slice(0, MAX_FIELDS)
  const detail = fields.map(({ path, message }) => `${path}: ${message}`).join('; ')
  return new CountersignError('invalid_request', `The request is not valid. ${detail}`, { fields, cause })
}

function fieldErrors(issue: Issue, above: readonly PropertyKey[], whole: string): FieldError[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: dotted([...path, key], whole), message: 'is not a known field' }))
  if (issue.code === 'invalid_union') {
    const branch = likeliest(issue.errors)
    if (branch !== undefined) return branch.flatMap((inner) => fieldErrors(inner, path, whole))
  }
  return [{ path: dotted(path, whole), message: sentence(issue.message) }]
}

/** The branch of a union that the caller most likely meant: the one with the least wrong with it. */
function likeliest(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  return branches.toSorted((a, b) => distance(a) - distance(b))[0]
}

// A wrong literal or enum is usually the tag of another branch, and says more than some missing fields.
const WRONG_TAG = 4

function distance(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => {
    if (issue.code === 'unrecognized_keys') return sum + issue.keys.length
    if (issue.code === 'invalid_value') return sum + WRONG_TAG
    if (issue.code === 'invalid_union') return sum + distance(likeliest(issue.errors) ?? [])
    return sum + 1
  }, 0)
}

// A field's name is the caller's text, and can be as long as the body.
const MAX_PATH = 200

function dotted(path: readonly PropertyKey[], whole: string): string {
  return path.length === 0 ? whole : path.map(String).join('.').slice(0, MAX_PATH)
}

function sentence(message: string): string {
  const text = message.replace(/^Invalid input: /, '').replace('expected int', 'expected a whole number')
  return text.endsWith(', received undefined') ? `is missing: ${text.replace(', received undefined', '')}` : text
}
