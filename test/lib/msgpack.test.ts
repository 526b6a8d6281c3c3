import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { packMessage } from '../../src/lib/msgpack.ts'

const packed = (value: Parameters<typeof packMessage>[0]) => Buffer.from(packMessage(value)).toString('hex')

describe('MessagePack', () => {
  test('writes each value in its shortest form', () => {
    // By the tables of the specification.
    const cases: readonly (readonly [Parameters<typeof packMessage>[0], string])[] = [
      [null, 'c0'],
      [true, 'c3'],
      [false, 'c2'],
      [0, '00'],
      [127, '7f'],
      [128, 'cc80'],
      [255, 'ccff'],
      [256, 'cd0100'],
      [65_535, 'cdffff'],
      [65_536, 'ce00010000'],
      [4_294_967_295, 'ceffffffff'],
      [4_294_967_296, 'cf0000000100000000'],
      [Number.MAX_SAFE_INTEGER, 'cf001fffffffffffff'],
      [-1, 'ff'],
      [-32, 'e0'],
      [-33, 'd0df'],
      [-128, 'd080'],
      [-129, 'd1ff7f'],
      [-32_768, 'd18000'],
      [-32_769, 'd2ffff7fff'],
      [-2_147_483_648, 'd280000000'],
      [-2_147_483_649, 'd3ffffffff7fffffff'],
      ['', 'a0'],
      ['a', 'a161'],
      ['é', 'a2c3a9'],
      [[], '90'],
      [[1, [2]], '92019102'],
      [{}, '80'],
      [{ b: 1, a: null }, '82a16201a161c0'],
    ]
    for (const [value, hex] of cases) assert.equal(packed(value), hex, JSON.stringify(value))
    assert.equal(packed('x'.repeat(31)).slice(0, 2), 'bf')
    assert.equal(packed('x'.repeat(32)).slice(0, 4), 'd920')
    assert.equal(packed('x'.repeat(256)).slice(0, 6), 'da0100')
    assert.equal(packed(Array.from({ length: 16 }, () => 0)).slice(0, 6), 'dc0010')
    assert.equal(packed(Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`${i}`, 0]))).slice(0, 6), 'de0010')
  })

  test('takes no number that is not whole', () => {
    for (const value of [1.5, Number.NaN, 2 ** 53]) assert.throws(() => packMessage(value), RangeError)
  })
})
