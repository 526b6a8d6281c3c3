import { randomBytes } from 'node:crypto'
import type { KeyType } from '../schema/api-key.ts'

const RANDOM_BYTES = 32
const PREFIX_CHARACTERS = 6
const SHORTEST = 32
const LONGEST = 256

/** A new key: `cs_<type>_` and 256 random bits in base64url (contract section 3). */
export function newKeyText(type: KeyType): string {
  return `cs_${type.toLowerCase()}_${randomBytes(RANDOM_BYTES).toString('base64url')}`
}

/**
 * Whether a text can be a key at all: 32 to 256 visible ASCII characters. What programs send for a key that they do
 * not have (an empty text, `undefined`, `null`, `[object Object]`) never is one.
 */
export function isKeyText(text: string | undefined): text is string {
  return text !== undefined && text.length >= SHORTEST && text.length <= LONGEST && /^[\x21-\x7e]+$/.test(text)
}

/** The part of a key that may be shown again, by which people tell keys apart. */
export function prefixOf(key: string): string {
  const type = /^cs_[a-z]+_/.exec(key)?.[0] ?? ''
  return key.slice(0, type.length + PREFIX_CHARACTERS)
}
