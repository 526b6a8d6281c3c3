import { openapi, routes } from '../../src/api/index.ts'

/** A JSON Schema of the document. */
export type Schema = Readonly<Record<string, unknown>>

/** The document that the service serves. */
export const DOCUMENT = openapi(routes, '0.0.0', 'http://localhost/api')
const SCHEMAS: Readonly<Record<string, Schema>> = DOCUMENT.components.schemas

/** The type of a JSON Schema, as far as the document uses that language. */
export function typeOf(schema: Schema): string {
  const { $ref, anyOf, oneOf, allOf, type } = schema
  if (typeof $ref === 'string') return nameOf($ref)
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ')
  const either = (anyOf ?? oneOf) as readonly Schema[] | undefined
  if (either) return unionOf(either)
  if (allOf) return (allOf as readonly Schema[]).map((one) => `(${typeOf(one)})`).join(' & ')
  if (Array.isArray(type)) return type.map((one: string) => typeOf({ ...schema, type: one })).join(' | ')
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return `readonly (${typeOf((schema['items'] ?? {}) as Schema)})[]`
    case 'object':
      return objectOf(schema)
    default:
      return 'unknown'
  }
}

/** A text that is one of a few is no more than a text where any text may stand. */
function unionOf(schemas: readonly Schema[]): string {
  const told = schemas.some(isAnyText) ? schemas.filter((schema) => typeof schema['const'] !== 'string') : schemas
  return [...new Set(told.map((one) => `(${typeOf(one)})`))].join(' | ')
}

function isAnyText(schema: Schema): boolean {
  const { $ref, type } = schema
  const named = typeof $ref === 'string' && SCHEMAS[nameOf($ref)]
  return named ? isAnyText(named) : type === 'string' && !('enum' in schema) && !('const' in schema)
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties as Readonly<Record<string, Schema>>).map(([name, member]) => {
    const isNeeded = (required as readonly string[]).includes(name)
    return `readonly ${keyOf(name)}${isNeeded ? ':' : '?: undefined |'} ${typeOf(member)}`
  })
  const known = `{ ${members.join('; ')} }`
  if (additionalProperties === false || additionalProperties === undefined) return known
  const value = additionalProperties === true ? 'unknown' : typeOf(additionalProperties as Schema)
  const others = `{ readonly [name: string]: ${value} }`
  return members.length === 0 ? others : `${known} & ${others}`
}

/** A member's name as it is written in a type. */
export function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
}

function nameOf($ref: string): string {
  return $ref.slice('#/components/schemas/'.length)
}
