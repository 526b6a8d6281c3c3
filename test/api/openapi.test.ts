import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { openapi, routes } from '../../src/api/index.ts'
import { startServer } from './running-server.ts'

type Parameter = Readonly<{ name: string; in: string; required: boolean }>

const document = openapi(routes, '1.2.3', 'https://verify.example/api')
const SECURITY = {
  none: [],
  'api-key': [{ apiKey: [] }],
  'admin-key': [{ apiKey: [] }],
  'integration-key': [{ appId: [], apiKey: [] }],
  user: [{ accessToken: [] }, { apiKey: [] }],
} as const
/** Parameters of queries that a request cannot do without. */
const NEEDED = ['walletAddress', 'code']
const operationOf = (path: string, method: string) =>
  document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]

describe('the OpenAPI document', () => {
  it('is served, and tells clients where', async (t) => {
    const running = await startServer()
    t.after(() => running.close())
    const { text } = await running.request('GET', '/api/openapi.json')
    assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(document)))
    assert.deepEqual(document.servers, [{ url: 'https://verify.example' }])
  })

  it('is valid by the published schema of OpenAPI 3.1, which finds what is wrong', async () => {
    const validator = new Validator()
    const plain = () => JSON.parse(JSON.stringify(document)) as { paths: Record<string, Record<string, object>> }
    const answer = await validator.validate(plain())
    assert.equal(answer.valid, true, JSON.stringify(answer))
    assert.equal(validator.version, '3.1')
    const broken = plain()
    const operation = broken.paths['/api/transactions']?.['post'] ?? assert.fail()
    Object.assign(operation, { responses: { created: 'a record' } })
    assert.equal((await new Validator().validate(broken)).valid, false)
  })

  it('has every route, and nothing else', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${String(operationId)}`),
    )
    const expected = routes.map(
      (r) => `${r.method.toLowerCase()} ${r.path.replace(/:(\w+)/g, '{$1}')} ${r.operationId}`,
    )
    assert.deepEqual(operations.sort(), expected.sort())
  })

  it('has the parameters, body, answers and key of each route', () => {
    for (const { path, method, auth, body, params, query, headers, responses } of routes) {
      const operation = operationOf(path, method)
      assert.ok(operation)
      assert.deepEqual(operation.security, SECURITY[auth])
      assert.equal('requestBody' in operation, body !== undefined)
      const parameters = (operation.parameters ?? []) as readonly Parameter[]
      const names = [params, query, headers].flatMap((schema) => Object.keys(schema?.shape ?? {}))
      assert.deepEqual(
        parameters.map(({ name }) => name),
        names,
      )
      for (const { name, in: place, required } of parameters)
        assert.equal(required, place === 'path' || NEEDED.includes(name), name)
      const template = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
      assert.deepEqual(
        parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
        template,
      )
      for (const status of Object.keys(responses)) assert.ok(status in (operation.responses as object))
    }
  })

  it('refers only to components that it has, and has none that nothing refers to', () => {
    const text = JSON.stringify(document)
    const referred = new Set([...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name))
    assert.equal(
      [...text.matchAll(/"\$ref":"/g)].length,
      [...text.matchAll(/"\$ref":"#\/components\/schemas\//g)].length,
    )
    assert.deepEqual(referred, new Set(Object.keys(document.components.schemas)))
    for (const name of [
      'SubmitRequest',
      'TransactionRecord',
      'ApprovalStatus',
      'Verdict',
      'Problem',
      'Policy',
      'Agent',
    ])
      assert.ok(referred.has(name), name)
  })

  it('refuses unknown fields as the server does, and calls nothing read-only', () => {
    const submit = document.components.schemas.SubmitRequest
    assert.equal(submit?.additionalProperties, false)
    assert.equal(JSON.stringify(document).includes('readOnly'), false)
    assert.deepEqual(document.components.schemas.Address?.type, 'string')
  })
})
