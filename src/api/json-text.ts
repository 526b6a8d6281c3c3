import type { FieldError } from '../lib/errors.ts'

/** Deepest nesting that a request body may have (contract section 2). */
export const MAX_DEPTH = 32

/** Whether a JSON text opens more objects and arrays inside each other than allowed; looked at before it is parsed. */
export function isTooDeep(text: string): boolean {
  let depth = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i)
    if (quoted) {
      if (character === BACKSLASH) i++
      else if (character === QUOTE) quoted = false
    } else if (character === QUOTE) quoted = true
    else if (character === BRACE || character === BRACKET) {
      depth++
      if (depth > MAX_DEPTH) return true
    } else if (character === BRACE + 2 || character === BRACKET + 2) depth--
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const BRACKET = 0x5b
const BRACE = 0x7b

/**
 * Values inside parsed JSON that no later step can keep as written: texts with NUL or half of a surrogate pair,
 * numbers beyond what a double holds, and the key that would change an object's prototype.
 */
export function unkeepable(value: unknown, path: string): readonly FieldError[] {
  if (typeof value === 'string') return isKeepable(value) ? [] : [{ path: path || 'body', message: KEEPABLE }]
  if (typeof value === 'number')
    return Number.isFinite(value)
      ? []
      : [{ path: path || 'body', message: 'is a number too large for JSON: write it as a string' }]
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => unkeepable(item, join(path, String(index))))
  return Object.entries(value).flatMap(([key, member]) => {
    if (key === '__proto__') return [{ path: join(path, key), message: 'is not a known field' }]
    if (!isKeepable(key))
      return [{ path: path || 'body', message: `has a field whose name is not kept: it ${KEEPABLE}` }]
    return unkeepable(member, join(path, key))
  })
}

/** What the structure of a JSON text is made of; a name is a text before a colon. */
const TOKENS = /"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}[\],]/g

/**
 * Members that a JSON text gives twice in one object. Whoever reads it by the first and whoever reads it by the last
 * would see two different requests.
 */
export function repeated(text: string): readonly FieldError[] {
  const wrong: FieldError[] = []
  const open: { path: string; names: Set<string>; at: string | number }[] = []
  for (const [token, quoted, colon] of text.matchAll(TOKENS)) {
    const inner = open.at(-1)
    if (token === '{' || token === '[') {
      const path = inner === undefined ? '' : join(inner.path, String(inner.at))
      open.push({ path, names: new Set(), at: token === '[' ? 0 : '' })
    } else if (token === '}' || token === ']') open.pop()
    else if (inner === undefined) continue
    else if (token === ',' && typeof inner.at === 'number') inner.at++
    else if (colon !== undefined) {
      inner.at = JSON.parse(`"${quoted}"`) as string
      if (inner.names.has(inner.at)) wrong.push({ path: join(inner.path, inner.at), message: 'must be given once' })
      inner.names.add(inner.at)
    }
  }
  return wrong
}

/** Whether a text is well-formed Unicode without NUL. */
export function isKeepable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** What to say of a text that is not. */
export const KEEPABLE = 'must be well-formed text without NUL characters'

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}
