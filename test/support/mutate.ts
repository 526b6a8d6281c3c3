// Changes of one thing in a transaction: a byte, a word, or the value that comes with it.
import fc, { type Arbitrary } from 'fast-check'
import { type Address, type Hex, numberToHex } from 'viem'
import type { Encoded } from './encode.ts'

const WORD = 64

/** The transaction with one byte of its data changed. */
export function byteChanged<T extends Encoded>(tx: T, at: number, to: number): T {
  const position = 2 + 2 * at
  const data: Hex = `0x${tx.data.slice(2, position)}${to.toString(16).padStart(2, '0')}${tx.data.slice(position + 2)}`
  return { ...tx, data }
}

/** Words that mean something to routers, and the limits of types. */
const TELLING = [0n, 1n, 2n, 32n, 1n << 128n, 1n << 159n, 1n << 160n, 1n << 255n, (1n << 256n) - 1n, (1n << 160n) - 1n]

/** The transaction with one thing changed: a byte, a word to a telling one or a near one, or its native value. */
export function mutated(tx: Encoded, addresses: readonly Address[]): Arbitrary<Encoded> {
  const bytes = (tx.data.length - 2) / 2
  const words = Math.floor((bytes - 4) / 32)
  const value = fc
    .constantFrom(0n, 1n, BigInt(tx.value) + 1n, BigInt(tx.value) * 2n, BigInt(tx.value) / 2n, 10n ** 17n)
    .map((wei) => ({ ...tx, value: numberToHex(wei) }))
  if (words < 1) return value
  const byte = fc.tuple(fc.nat({ max: bytes - 1 }), fc.nat({ max: 255 })).map(([at, to]) => byteChanged(tx, at, to))
  const word = fc
    .tuple(fc.nat({ max: words - 1 }), fc.nat({ max: 15 }), fc.nat({ max: 1000 }))
    .map(([at, how, which]) => withWord(tx, at, (before) => changedWord(before, how, which, addresses, tx)))
  return fc.oneof({ weight: 5, arbitrary: word }, { weight: 4, arbitrary: byte }, { weight: 1, arbitrary: value })
}

function withWord(tx: Encoded, at: number, change: (before: bigint) => bigint): Encoded {
  const from = 10 + WORD * at
  const before = BigInt(`0x${tx.data.slice(from, from + WORD)}`)
  const after = BigInt.asUintN(256, change(before)).toString(16).padStart(WORD, '0')
  return { ...tx, data: `0x${tx.data.slice(2, from)}${after}${tx.data.slice(from + WORD)}` }
}

function changedWord(before: bigint, how: number, which: number, addresses: readonly Address[], tx: Encoded): bigint {
  if (how < 4) return TELLING[which % TELLING.length] ?? 0n
  if (how < 9) return BigInt(addresses[which % addresses.length] ?? '0x0')
  if (how < 11) return before + (which % 2 === 0 ? 1n : -1n)
  if (how < 13) return before ^ (1n << BigInt(which % 256))
  if (how < 14) return (before * BigInt(which)) / 500n
  // Another word of the same data.
  const words = Math.floor((tx.data.length - 10) / WORD)
  const from = 10 + WORD * (which % words)
  return BigInt(`0x${tx.data.slice(from, from + WORD)}`)
}
