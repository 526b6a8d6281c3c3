import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { canonicalJson } from '../../src/lib/canonical-json.ts'

/** The same value with the members of every object in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, shuffled(member)]),
  )
}

describe('canonical JSON', () => {
  it('is the one of RFC 8785 for its own examples', () => {
    const given = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '€$\u000f\u000aA\'B"\\\\"/',
      literals: [null, true, false],
    }
    const expected =
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    assert.equal(canonicalJson(given), expected)
  })

  it('orders members by UTF-16 code units', () => {
    const given = { '€': 1, '\r': 2, '\ufb33': 3, '1': 4, '😀': 5, '\u0080': 6, ö: 7 }
    assert.deepEqual(Object.keys(JSON.parse(canonicalJson(given)) as object).slice(1), [
      '\r',
      '\u0080',
      'ö',
      '€',
      '😀',
      '\ufb33',
    ])
  })

  it('does not depend on the order of members, and is read back to the same', () => {
    const property = fc.property(fc.jsonValue(), (value) => {
      assert.equal(canonicalJson(shuffled(value)), canonicalJson(value))
      assert.equal(canonicalJson(JSON.parse(canonicalJson(value))), canonicalJson(value))
    })
    fc.assert(property, { seed: 5, numRuns: 300 })
  })

  it('tells apart what is not the same', () => {
    const alike: readonly (readonly [unknown, unknown])[] = [
      [1, '1'],
      [null, 'null'],
      [[], {}],
      [['a,b'], ['a', 'b']],
      [{ a: null }, {}],
      ['0x0', '0x00'],
      ['\ud800', '\udfff'],
    ]
    for (const [a, b] of alike) assert.notEqual(canonicalJson(a), canonicalJson(b), JSON.stringify([a, b]))
  })

  it('leaves out members that are undefined, and refuses what JSON cannot carry', () => {
    assert.equal(canonicalJson({ a: undefined, b: 1 }), '{"b":1}')
    for (const value of [undefined, 1n, Number.NaN, Number.POSITIVE_INFINITY, () => 1, Symbol('x'), [undefined]])
      assert.throws(() => canonicalJson(value), TypeError)
  })
})
