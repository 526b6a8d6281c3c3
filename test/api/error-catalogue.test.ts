import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { PROBLEM_TYPE, problemOf } from '../../src/api/error-body.ts'
import { openapi, routes } from '../../src/api/index.ts'
import { errorsOf } from '../../src/api/openapi.ts'
import { CountersignError, ERROR_CODES, type ErrorCode } from '../../src/lib/errors.ts'
import { Problem } from '../../src/schema/problem.ts'

const CODES = Object.keys(ERROR_CODES) as ErrorCode[]
const documented = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `(\w+)` \| (\d+) \| (.+) \| (.+) \|$/gm)]

describe('the error catalogue', () => {
  it('is that of docs/errors.md, code by code and status by status', () => {
    assert.deepEqual(Object.fromEntries(documented.map(([, code, status]) => [code, Number(status)])), ERROR_CODES)
    assert.equal(documented.length, CODES.length)
  })

  it('is that of the OpenAPI document', () => {
    const { components, paths } = openapi(routes, '1.0.0', 'http://localhost:4747/api')
    const problem = components.schemas.Problem as { properties: { error: { enum: string[] } } }
    assert.deepEqual(problem.properties.error.enum.toSorted(), CODES.toSorted())
    for (const route of routes) {
      const operation = paths[route.path.replace(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()]
      const responses = operation?.responses as Record<string, { description: string; content?: object }>
      for (const code of errorsOf(route)) {
        const response = responses[ERROR_CODES[code]]
        const declared = route.responses[ERROR_CODES[code]]
        assert.ok(declared !== undefined || response?.description.includes(`\`${code}\``), `${route.path} ${code}`)
        assert.deepEqual(Object.keys(response?.content ?? {}), [declared ? 'application/json' : PROBLEM_TYPE])
      }
      const described = Object.values(responses).flatMap(({ description }) => [...description.matchAll(/`(\w+)`/g)])
      for (const [, code] of described)
        assert.ok(
          errorsOf(route).some((known) => known === code),
          code,
        )
    }
  })

  it('makes a problem of every code', () => {
    for (const code of CODES) {
      const problem = Problem.parse(problemOf(new CountersignError(code, 'Why.'), 'id'))
      assert.deepEqual([problem.error, problem.status, problem.requestId], [code, ERROR_CODES[code], 'id'])
      assert.equal(problem.detail === 'Why.', code !== 'internal')
    }
  })
})
