/**
 * The canonical form of a JSON value (RFC 8785): keys sorted by UTF-16 code units, no white space, numbers and
 * strings as ECMAScript writes them. A member that is undefined is left out, as by `JSON.stringify`.
 *
 * @throws TypeError on what else JSON cannot carry (functions, bigints, non-finite numbers)
 * @see https://www.rfc-editor.org/rfc/rfc8785
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('A non-finite number has no JSON form.')
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object') throw new TypeError(`A ${typeof value} has no JSON form.`)
  // Every verdict is hashed in this form: it is built as one text, with no list of members in between.
  const members = value as Readonly<Record<string, unknown>>
  let text = ''
  for (const key of Object.keys(members).sort()) {
    const member = members[key]
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}
