import type { z } from 'zod'
import type { FieldError } from './errors.ts'

type Issue = z.core.$ZodIssue

/**
 * What a schema found wrong, field by field: unknown fields by their own paths, and of a union the branch that was most
 * likely meant. `whole` names the input where the fault is no field of it. Values are never repeated.
 */
export function fieldErrors({ issues }: z.ZodError, whole: string): readonly FieldError[] {
  return issues.flatMap((issue) => errorsOf(issue, [], whole))
}

/** The first of what a schema found wrong, in one line: `order.side: expected …`. `within` names what was read, if it has a name. */
export function firstFieldError(error: z.ZodError, within = ''): string {
  const [{ path, message } = { path: '', message: 'is wrong' }] = fieldErrors(error, '')
  const whole = [within, path].filter((part) => part !== '').join('.') || 'it'
  return message.startsWith('is ') ? `${whole} ${message}` : `${whole}: ${message}`
}

function errorsOf(issue: Issue, above: readonly PropertyKey[], whole: string): readonly FieldError[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: dotted([...path, key], whole), message: 'is not a known field' }))
  if (issue.code === 'invalid_union') {
    const branch = likeliest(issue.errors)
    if (branch !== undefined) return branch.flatMap((inner) => errorsOf(inner, path, whole))
  }
  return [{ path: dotted(path, whole), message: sentence(issue.message) }]
}

/** The branch of a union that the caller most likely meant: the one with the least wrong with it. */
function likeliest(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  return branches.toSorted((a, b) => distance(a) - distance(b))[0]
}

// A wrong literal or enum beside the others is usually the tag of another branch, and says more than some missing fields.
const WRONG_TAG = 4

function distance(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => {
    if (issue.code === 'unrecognized_keys') return sum + issue.keys.length
    if (issue.code === 'invalid_value') return sum + (issue.path.length > 1 ? 1 : WRONG_TAG)
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
