/** What MessagePack carries here: JSON's own values, with whole numbers only. */
export type Packable = null | boolean | number | string | readonly Packable[] | Readonly<{ [key: string]: Packable }>

/**
 * MessagePack of a value, members in the order in which they stand, each number and length in its shortest form.
 *
 * @throws RangeError on a number that is no safe integer
 * @see https://github.com/msgpack/msgpack/blob/master/spec.md
 */
export function packMessage(value: Packable): Uint8Array {
  return Buffer.concat(pieces(value))
}

function pieces(value: Packable): readonly Uint8Array[] {
  if (value === null) return [Uint8Array.of(0xc0)]
  if (typeof value === 'boolean') return [Uint8Array.of(value ? 0xc3 : 0xc2)]
  if (typeof value === 'number') return [integer(value)]
  if (typeof value === 'string') {
    const bytes = Buffer.from(value, 'utf8')
    return [length(bytes.length, { fix: 0xa0, below: 32, tags: [0xd9, 0xda, 0xdb] }), bytes]
  }
  if (isList(value)) {
    const head = length(value.length, { fix: 0x90, below: 16, tags: [undefined, 0xdc, 0xdd] })
    return [head, ...value.flatMap(pieces)]
  }
  const members = Object.entries(value)
  const head = length(members.length, { fix: 0x80, below: 16, tags: [undefined, 0xde, 0xdf] })
  return [head, ...members.flatMap(([key, member]) => [...pieces(key), ...pieces(member)])]
}

function isList(value: Packable): value is readonly Packable[] {
  return Array.isArray(value)
}

type Form = Readonly<{ fix: number; below: number; tags: readonly (number | undefined)[] }>

function length(count: number, { fix, below, tags }: Form): Uint8Array {
  if (count < below) return Uint8Array.of(fix | count)
  const [one, two, four] = tags
  if (one !== undefined && count < 0x100) return tagged(one, 1, BigInt(count))
  if (two !== undefined && count < 0x10000) return tagged(two, 2, BigInt(count))
  return tagged(four ?? 0, 4, BigInt(count))
}

function integer(value: number): Uint8Array {
  if (!Number.isSafeInteger(value)) throw new RangeError('Only safe integers are packed.')
  const big = BigInt(value)
  if (value >= 0) {
    if (value < 0x80) return Uint8Array.of(value)
    if (value < 0x100) return tagged(0xcc, 1, big)
    if (value < 0x10000) return tagged(0xcd, 2, big)
    return value < 0x100000000 ? tagged(0xce, 4, big) : tagged(0xcf, 8, big)
  }
  if (value >= -0x20) return Uint8Array.of(0x100 + value)
  if (value >= -0x80) return tagged(0xd0, 1, big)
  if (value >= -0x8000) return tagged(0xd1, 2, big)
  return value >= -0x80000000 ? tagged(0xd2, 4, big) : tagged(0xd3, 8, big)
}

/** A tag and a number of so many bytes, the highest first, in two's complement. */
function tagged(tag: number, bytes: number, value: bigint): Uint8Array {
  const unsigned = BigInt.asUintN(bytes * 8, value)
  const digits = unsigned.toString(16).padStart(bytes * 2, '0')
  return Buffer.concat([Uint8Array.of(tag), Buffer.from(digits, 'hex')])
}
