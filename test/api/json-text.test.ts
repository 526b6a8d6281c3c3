import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isTooDeep, MAX_DEPTH, unkeepable } from '../../src/api/json-text.ts'

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

describe('depth of a JSON text', () => {
  it('is allowed up to the limit and refused beyond it', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    assert.equal(isTooDeep(nested(MAX_DEPTH)), false)
    assert.equal(isTooDeep(nested(MAX_DEPTH + 1)), true)
    assert.equal(isTooDeep(`${'{"a":'.repeat(MAX_DEPTH + 1)}1${'}'.repeat(MAX_DEPTH + 1)}`), true)
    assert.equal(isTooDeep(`[${'[],'.repeat(1_000)}[]]`), false)
  })

  it('does not count brackets inside texts', () => {
    assert.equal(isTooDeep(JSON.stringify('[{"\\'.repeat(100))), false)
    assert.equal(isTooDeep(JSON.stringify({ ['[\\"'.repeat(100)]: '{'.repeat(100) })), false)
  })

  it('is the depth of the value, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 40, stringUnit: 'binary' }), fc.nat({ max: 40 }), (leaf, wraps) => {
        let value: unknown = leaf
        for (let i = 0; i < wraps; i++) value = i % 2 ? [value] : { '"]\\': value }
        assert.equal(isTooDeep(JSON.stringify(value)), depthOf(value) > MAX_DEPTH)
      }),
      { numRuns: 300 },
    )
  })
})

describe('values that cannot be kept', () => {
  it('are named by their path', () => {
    const value: unknown = JSON.parse('{"a":[{"b":"\\u0000"}],"n":1e400,"__proto__":{"x":1},"ok":"\\ud83d\\ude00"}')
    assert.deepEqual(
      unkeepable(value, '').map(({ path }) => path),
      ['a.0.b', 'n', '__proto__'],
    )
    assert.deepEqual(
      unkeepable(JSON.parse('"\\ud800"'), '').map(({ path }) => path),
      ['body'],
    )
  })

  it('are found in names too, without repeating the name', () => {
    const [fault] = unkeepable(JSON.parse('{"m":{"a\\u0000":1}}'), '')
    assert.equal(fault?.path, 'm')
    assert.equal(JSON.stringify(fault).includes('\\u0000'), false)
  })
})
