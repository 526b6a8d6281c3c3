// The strict reader accepts exactly what the canonical encoder writes; viem's encoder is the other opinion.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { encodeAbiParameters, type Hex, parseAbiParameters, toFunctionSelector } from 'viem'
import { ok, refuse } from '../../src/lib/result.ts'
import {
  abiFunction,
  address,
  argumentsOf,
  array,
  bool,
  bytes,
  bytes32,
  callFunction,
  functionTable,
  selectorOf,
  tuple,
  uint,
} from '../../src/policy/calldata.ts'

const word = (value: bigint | number) => BigInt(value).toString(16).padStart(64, '0')
const hex = (...words: readonly (bigint | number)[]): Hex => `0x${words.map(word).join('')}`

const anyAddress = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((b): Hex => `0x${Buffer.from(b).toString('hex')}`)
const anyWord = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((b): Hex => `0x${Buffer.from(b).toString('hex')}`)
const anyBytes = fc.uint8Array({ maxLength: 100 }).map((b): Hex => `0x${Buffer.from(b).toString('hex')}`)
const anyUint = (bits: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n })

describe('a reader of arguments', () => {
  // A struct with dynamic members in an array in a struct: every way of nesting at once.
  const reader = argumentsOf(
    uint(256),
    tuple(address, bytes, array(tuple(uint(24), bytes, bool))),
    bytes32,
    array(array(address)),
    tuple(uint(8), uint(160)),
    bytes,
  )
  const parameters = parseAbiParameters([
    'uint256 a, Outer b, bytes32 c, address[][] d, Flat e, bytes f',
    'struct Outer { address to; bytes data; Inner[] list; }',
    'struct Inner { uint24 fee; bytes data; bool flag; }',
    'struct Flat { uint8 x; uint160 y; }',
  ])
  const values = fc.record({
    a: anyUint(256),
    b: fc.record({
      to: anyAddress,
      data: anyBytes,
      list: fc.array(fc.record({ fee: anyUint(24), data: anyBytes, flag: fc.boolean() }), { maxLength: 3 }),
    }),
    c: anyWord,
    d: fc.array(fc.array(anyAddress, { maxLength: 3 }), { maxLength: 3 }),
    e: fc.record({ x: anyUint(8), y: anyUint(160) }),
    f: anyBytes,
  })
  type Values = typeof values extends fc.Arbitrary<infer T> ? T : never
  const encode = ({ a, b, c, d, e, f }: Values): Hex =>
    encodeAbiParameters(parameters, [
      a,
      { ...b, list: b.list.map((item) => ({ ...item, fee: Number(item.fee) })) },
      c,
      d,
      { x: Number(e.x), y: e.y },
      f,
    ])

  test('gives what was encoded', () => {
    assert.equal(
      reader.name,
      '(uint256,(address,bytes,(uint24,bytes,bool)[]),bytes32,address[][],(uint8,uint160),bytes)',
    )
    fc.assert(
      fc.property(values, (v) => {
        const read = reader.read(encode(v))
        assert.ok(read.ok, read.ok ? '' : read.reason)
        const { b, e } = v
        const list = b.list.map(({ fee, data, flag }) => [fee, data, flag])
        assert.deepEqual(read.value, {
          values: [v.a, [b.to, b.data, list], v.c, v.d, [e.x, e.y], v.f],
          trailing: 0,
        })
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  test('accepts no other bytes for the same values: what it accepts, encoded again, is the same', () => {
    fc.assert(
      fc.property(values, fc.nat(), fc.integer({ min: 1, max: 255 }), (v, at, change) => {
        const digits = Buffer.from(encode(v).slice(2), 'hex')
        const position = at % digits.length
        digits[position] = (digits[position] ?? 0) ^ change
        const data: Hex = `0x${digits.toString('hex')}`
        const read = reader.read(data)
        if (!read.ok || read.value.trailing > 0) return
        const [a, [to, inner, list], c, d, [x, y], f] = read.value.values
        const again = {
          a,
          b: { to, data: inner, list: list.map(([fee, bytes, flag]) => ({ fee, data: bytes, flag })) },
        }
        assert.equal(encode({ ...again, c, d: d.map((row) => [...row]), e: { x, y }, f } as Values), data)
      }),
      { seed: 2, numRuns: 2000 },
    )
  })

  test('is total: cut and random bytes are refused, or read with what follows counted', () => {
    fc.assert(
      fc.property(values, fc.nat(), anyBytes, (v, cut, more) => {
        const data = encode(v)
        const length = 2 + 2 * (cut % ((data.length - 2) / 2))
        assert.equal(reader.read(data.slice(0, length) as Hex).ok, false)
        const read = reader.read(`${data}${more.slice(2)}`)
        assert.ok(read.ok && read.value.trailing === (more.length - 2) / 2)
        reader.read(more)
      }),
      { seed: 3, numRuns: 300 },
    )
  })
})

describe('what is not canonical is refused', () => {
  const reasonOf = (read: Readonly<{ ok: boolean; reason?: string }>) => (read.ok ? 'read' : (read.reason ?? ''))

  test('bits beyond a type’s width', () => {
    assert.match(reasonOf(argumentsOf(address).read(hex((1n << 160n) + 1n))), /address has bits beyond/)
    assert.match(reasonOf(argumentsOf(uint(24)).read(hex(1n << 24n))), /uint24 has bits beyond/)
    assert.match(reasonOf(argumentsOf(uint(160)).read(hex(1n << 255n))), /uint160 has bits beyond/)
    assert.match(reasonOf(argumentsOf(bool).read(hex(2))), /bool/)
    assert.match(reasonOf(argumentsOf(bool).read(hex(0x10))), /bool has bits beyond/)
    assert.ok(argumentsOf(uint(256)).read(hex((1n << 256n) - 1n)).ok)
  })

  test('offsets that overlap, leave a gap, go backwards or point outside', () => {
    const two = argumentsOf(bytes, bytes)
    assert.ok(two.read(hex(0x40, 0x60, 0, 0)).ok)
    for (const [first, second] of [
      [0x40, 0x40],
      [0x60, 0x40],
      [0x40, 0x80],
      [0x00, 0x60],
      [0x40, 1n << 64n],
      [(1n << 256n) - 32n, 0x60],
    ] as const)
      assert.match(reasonOf(two.read(hex(first, second, 0, 0))), /offset|width/)
  })

  test('padding that is not zero, lengths beyond the end, words that are cut', () => {
    const one = argumentsOf(bytes)
    assert.ok(one.read(hex(0x20, 1, 0xffn << 248n)).ok)
    assert.match(reasonOf(one.read(hex(0x20, 1, (0xffn << 248n) + 1n))), /padding/)
    assert.match(reasonOf(one.read(hex(0x20, 33, 0))), /beyond its end/)
    assert.match(reasonOf(one.read(hex(0x20, 0xffffffffn, 0))), /beyond its end/)
    assert.match(reasonOf(one.read(hex(0x20, 1n << 40n, 0))), /width/)
    assert.match(reasonOf(argumentsOf(array(uint(256))).read(hex(0x20, 3, 1, 2))), /beyond its end/)
    assert.match(reasonOf(argumentsOf(array(bytes)).read(hex(0x20, 0xffffffffn))), /beyond its end/)
    assert.match(reasonOf(argumentsOf(uint(256)).read(hex(1).slice(0, -2) as Hex)), /ends before/)
    assert.match(reasonOf(one.read('0x')), /ends before/)
  })
})

describe('functions by selector', () => {
  const table = functionTable<number, string>([
    abiFunction('transfer', [address, uint(256)], ([to, amount], n) => ok(`${to} ${amount} ${n}`)),
    abiFunction('multicall', [array(bytes)], () => refuse('never')),
  ])
  const transfer: Hex = `0xa9059cbb${word(5)}${word(7)}`
  const five = '0x0000000000000000000000000000000000000005'

  test('selectors follow from name and types, as viem works them out', () => {
    assert.deepEqual([...table.keys()], ['transfer(address,uint256)', 'multicall(bytes[])'].map(toFunctionSelector))
    assert.equal(selectorOf('0x'), null)
    assert.equal(selectorOf('0x123456'), null)
    assert.equal(selectorOf(transfer), '0xa9059cbb')
  })

  test('trailing bytes are accepted as far as the caller says', () => {
    assert.deepEqual(callFunction(table, transfer, 9), ok({ value: `${five} 7 9`, trailing: 0 }))
    assert.deepEqual(callFunction(table, `${transfer}0000`, 9, 2), ok({ value: `${five} 7 9`, trailing: 2 }))
    const refused = callFunction(table, `${transfer}000000`, 9, 2)
    assert.match(refused.ok ? '' : refused.reason, /followed by 3 bytes, where 2 are accepted/)
  })

  test('a function that is not there, none at all, and its own refusal', () => {
    const reason = (data: Hex) => {
      const result = callFunction(table, data, 9)
      return result.ok ? '' : result.reason
    }
    assert.match(reason('0x12345678'), /0x12345678 is not decoded/)
    assert.match(reason('0x'), /no function is called/)
    assert.match(reason('0xa9059cbb'), /transfer: .*ends before/)
    assert.equal(reason(`0xac9650d8${word(32)}${word(0)}`), 'multicall: never')
  })
})
