import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { isTooDeep, MAX_DEPTH, repeated, unkeepable } from '../../src/api/json-text.ts'

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

describe('a member that stands twice in one object', () => {
  const paths = (text: string) => {
    JSON.parse(text)
    return repeated(text).map(({ path }) => path)
  }

  it('is named by its path', () => {
    assert.deepEqual(paths('{"a":1,"a":1}'), ['a'])
    assert.deepEqual(paths('{"a":[0,{"b" : {"c":1,\n"c"\t:2}}],"d":{"a":1},"a":2}'), ['a.1.b.c', 'a'])
    assert.deepEqual(paths('[[],[{"x":1},{"x":1,"x":1}]]'), ['1.1.x'])
    assert.deepEqual(paths('{"a":1,"\\u0061":2,"__proto__":1,"__proto__":2}'), ['a', '__proto__'])
  })

  it('is found in no text of JSON.stringify, whatever is in its names and values', () => {
    const tricky = fc.constantFrom('":', '{"a":1,"a":', '\\', '\\"', '}', ',', '"')
    const names = fc.oneof(fc.string({ unit: 'binary' }), tricky)
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(names, fc.integer(), fc.array(tie('tree')), fc.dictionary(names, tie('tree'))),
    }))
    fc.assert(
      fc.property(tree, fc.nat({ max: 2 }), (value, indent) => {
        assert.deepEqual(paths(JSON.stringify(value, null, indent)), [])
        assert.deepEqual(paths(`{"twice":0,"once":${JSON.stringify(value)},"twice":1}`), ['twice'])
      }),
      { numRuns: 300 },
    )
  })
})
