// Requests made from the OpenAPI document, right in most parts and wrong in some: none is answered with a fault.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { type OpenApi, routes } from '../../src/api/index.ts'
import { startServer } from '../api/running-server.ts'
import { volume } from '../support/volume.ts'

const REQUESTS = volume(1_500, 100_000)
const AT_ONCE = 16
const LONGEST_MS = 5_000
/** What a schema is followed to at most: below it anything will do. */
const DEEPEST = 6

type Schema = Readonly<Record<string, unknown>>
type Operation = Readonly<{
  method: string
  path: string
  operationId: string
  parameters: readonly Schema[]
  body: Schema | undefined
}>

describe('a fuzzed request', () => {
  let running: Awaited<ReturnType<typeof startServer>>
  let document: OpenApi
  before(async () => {
    running = await startServer()
    document = JSON.parse((await running.request('GET', '/api/openapi.json')).text) as OpenApi
  })
  after(() => running?.close())

  it(`is never answered with a fault, nor late: ${REQUESTS} of them over all routes`, async (t) => {
    const operations = operationsOf(document)
    assert.equal(operations.length, routes.length)
    const requests = fc.constantFrom(...operations).chain((operation) => requestFor(operation, document))
    const statuses = new Map<number, number>()
    let slowest = 0
    const all = fc.sample(requests, { numRuns: REQUESTS, seed: 11 }).values()
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const { operation, path, body, withKey } of all) {
          const from = performance.now()
          const route = routes.find(({ operationId }) => operationId === operation.operationId)
          const headers = withKey && route ? running.headersFor(route) : {}
          const answer = await running.request(operation.method, path, {
            headers,
            ...(body !== undefined && operation.method !== 'GET' && { body }),
          })
          slowest = Math.max(slowest, performance.now() - from)
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          const isFault = answer.status >= 500 && operation.operationId !== 'validateIntent'
          assert.ok(!isFault, `${operation.method} ${path} ${body}: ${answer.status} ${answer.text}`)
        }
      }),
    )
    assert.ok(slowest < LONGEST_MS, `${slowest} ms`)
    t.diagnostic(
      `slowest ${Math.round(slowest)} ms; ${[...statuses]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => `${count}× ${status}`)
        .join(', ')}`,
    )
  })
})

function operationsOf({ paths }: OpenApi): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operationId: String(operation['operationId']),
      parameters: (operation['parameters'] ?? []) as readonly Schema[],
      body: bodyOf(operation),
    })),
  )
}

function bodyOf({ requestBody }: Schema): Schema | undefined {
  const { content } = (requestBody ?? {}) as { content?: Record<string, { schema: Schema }> }
  return content?.['application/json']?.schema
}

function requestFor(operation: Operation, document: OpenApi) {
  const { path, parameters, body } = operation
  const texts = fc.record(
    Object.fromEntries(parameters.map(({ name, schema }) => [String(name), valueOf(schema as Schema, document, 0)])),
  )
  return fc.record({
    operation: fc.constant(operation),
    path: texts.map((values) => filled(path, parameters, values)),
    body:
      body === undefined
        ? fc.option(fc.constant('{}'), { nil: undefined, freq: 20 })
        : fc
            .oneof({ weight: 8, arbitrary: valueOf(body, document, 0) }, { weight: 1, arbitrary: fc.jsonValue() })
            .map((value) => JSON.stringify(value)),
    withKey: fc.integer({ min: 0, max: 19 }).map((n) => n > 0),
  })
}

function filled(path: string, parameters: readonly Schema[], values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  let whole = path
  for (const { name, in: place } of parameters) {
    const value = values[String(name)]
    const text = (typeof value === 'string' ? value : JSON.stringify(value ?? '')).toWellFormed()
    if (place === 'path') whole = whole.replace(`{${String(name)}}`, encodeURIComponent(text) || 'x')
    if (place === 'query' && text !== 'undefined') query.set(String(name), text)
  }
  return query.size === 0 ? whole : `${whole}?${query.toString()}`
}

const FORMS: readonly string[] = [
  '0x2222222222222222222222222222222222222222',
  `0x${'ab'.repeat(32)}`,
  '0x',
  '0x00',
  '1',
  '100',
  'native',
  'uniswap',
  '24h',
  '2027-01-01T00:00:00Z',
  'a'.repeat(300),
  'ü😀',
]

/** A value of a schema, or now and then one of another. */
function valueOf(schema: Schema, document: OpenApi, depth: number): fc.Arbitrary<unknown> {
  if (depth > DEEPEST) return fc.jsonValue({ maxDepth: 1 })
  const right = rightValue(schema, document, depth)
  return fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) })
}

function rightValue(schema: Schema, document: OpenApi, depth: number): fc.Arbitrary<unknown> {
  const { $ref, anyOf, oneOf, enum: values, const: only, type, properties, items, required } = schema
  if (typeof $ref === 'string') {
    const named = document.components.schemas[$ref.split('/').at(-1) ?? '']
    return named === undefined ? fc.jsonValue() : valueOf(named, document, depth + 1)
  }
  const branches = (anyOf ?? oneOf) as readonly Schema[] | undefined
  if (branches) return fc.oneof(...branches.map((branch) => valueOf(branch, document, depth + 1)))
  if (Array.isArray(values)) return fc.constantFrom(...(values as unknown[]))
  if (only !== undefined) return fc.constant(only)
  if (type === 'object') {
    const members = Object.entries((properties ?? {}) as Record<string, Schema>)
    return fc.record(
      Object.fromEntries(members.map(([name, member]) => [name, valueOf(member, document, depth + 1)])),
      {
        requiredKeys: (required ?? []) as never[],
      },
    )
  }
  if (type === 'array') return fc.array(valueOf((items ?? {}) as Schema, document, depth + 1), { maxLength: 4 })
  if (type === 'integer' || type === 'number')
    return fc.oneof(fc.constantFrom(0, 1, 8453, 999, -1, 0.5, 1e15), fc.integer())
  if (type === 'boolean') return fc.boolean()
  if (type === 'string') return fc.oneof(fc.constantFrom(...FORMS), fc.string({ unit: 'binary' }))
  return fc.jsonValue({ maxDepth: 2 })
}
