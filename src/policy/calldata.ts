import type { Address } from '../lib/address.ts'
import { type Hex, keccak256 } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'

/**
 * A strict reader of ABI encoding. It accepts only what the canonical encoder would have written: heads, then tails in
 * order without a gap, padding of zeros, no bit set beyond a type's width. That is "decoding and encoding again gives
 * the same bytes", without encoding. Source: Solidity's contract ABI specification, "Formal specification of the encoding".
 */

/** Bytes that attribution tags put behind a call; more than this is refused even where the target ignores them. */
export const MAX_TRAILING_BYTES = 512

const WORD = 64
const ZERO = '0'.charCodeAt(0)

/** A text of hex digits while it is read. Positions count digits. Only the first fault is kept; what follows it is void. */
type Source = {
  readonly text: string
  /** Where the next tail has to begin, and after reading: where the encoding ends. */
  end: number
  fault: string | null
}

/** How one ABI type is read. */
export type AbiType<T> = Readonly<{
  /** Name in a function's signature: `uint256`, `(address,uint24)[]`. */
  name: string
  /** Digits in the head: its own words, or one word of offset where it is dynamic. */
  head: number
  dynamic: boolean
  /** Reads the value at a position: of its head where it is static, of its tail where it is dynamic. */
  read(source: Source, at: number): T
}>

/** The ABI types of a list of values. */
export type AbiTypes<A extends readonly unknown[]> = readonly [...{ [K in keyof A]: AbiType<A[K]> }]

function fail(source: Source, why: string): void {
  source.fault ??= why
}

/** Whether a whole word begins at a position. */
function hasWord(source: Source, at: number): boolean {
  if (at + WORD <= source.text.length) return true
  fail(source, 'it ends before its last word')
  return false
}

/** Whether all digits of a range are zero. */
function zeros(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (text.charCodeAt(at) !== ZERO) return false
  return true
}

/** The digits of a word that may be set, after making sure that those before them are zero. */
function digits(source: Source, at: number, count: number, name: string): string {
  if (!hasWord(source, at)) return '0'
  const from = at + WORD - count
  if (!zeros(source.text, at, from)) fail(source, `a ${name} has bits beyond its width`)
  return source.text.slice(from, at + WORD)
}

/** A length or an offset: anything of more than 32 bits points outside of every calldata. */
function size(source: Source, at: number): number {
  return Number.parseInt(digits(source, at, 8, 'length or offset'), 16)
}

/** An unsigned integer of a width in bits. */
export function uint(bits: 8 | 16 | 24 | 32 | 48 | 64 | 128 | 160 | 256): AbiType<bigint> {
  const name = `uint${bits}`
  return {
    name,
    head: WORD,
    dynamic: false,
    read: (source, at) => BigInt(`0x${digits(source, at, bits / 4, name)}`),
  }
}

/** An address, in lower case. */
export const address: AbiType<Address> = {
  name: 'address',
  head: WORD,
  dynamic: false,
  read: (source, at) => `0x${digits(source, at, 40, 'address')}` as Address,
}

/** A truth value: the word 0 or 1, nothing else. */
export const bool: AbiType<boolean> = {
  name: 'bool',
  head: WORD,
  dynamic: false,
  read(source, at) {
    const digit = digits(source, at, 1, 'bool')
    if (digit > '1') fail(source, 'a bool is neither 0 nor 1')
    return digit === '1'
  },
}

/** 32 bytes. */
export const bytes32: AbiType<Hex> = {
  name: 'bytes32',
  head: WORD,
  dynamic: false,
  read: (source, at) => `0x${digits(source, at, WORD, 'bytes32')}`,
}

/** 31 bytes, which leave the last of a word at zero. */
export const bytes31: AbiType<Hex> = {
  name: 'bytes31',
  head: WORD,
  dynamic: false,
  read(source, at) {
    const word = digits(source, at, WORD, 'bytes31')
    if (!word.endsWith('00')) fail(source, 'bytes31 is longer than 31 bytes')
    return `0x${word.slice(0, -2)}`
  },
}

/** Bytes of any length. */
export const bytes: AbiType<Hex> = {
  name: 'bytes',
  head: WORD,
  dynamic: true,
  read(source, at) {
    const length = size(source, at) * 2
    const start = at + WORD
    const padding = (WORD - (length % WORD)) % WORD
    source.end = start + length + padding
    if (source.end > source.text.length) fail(source, 'bytes reach beyond its end')
    else if (!zeros(source.text, start + length, source.end)) fail(source, 'padding is not zero')
    return `0x${source.text.slice(start, start + length)}`
  },
}

/** Any number of values of one type. */
export function array<T>(item: AbiType<T>): AbiType<readonly T[]> {
  return {
    name: `${item.name}[]`,
    head: WORD,
    dynamic: true,
    read(source, at) {
      const length = size(source, at)
      const start = at + WORD
      source.end = start + length * item.head
      if (source.end > source.text.length) fail(source, 'an array reaches beyond its end')
      const values: T[] = []
      for (let i = 0; i < length && source.fault === null; i++)
        values.push(part(item, source, start + i * item.head, start))
      return values
    },
  }
}

/** Values of several types side by side: a struct, or the arguments of a function. */
export function tuple<A extends readonly unknown[]>(...types: AbiTypes<A>): AbiType<A> {
  const head = types.reduce((sum, type) => sum + type.head, 0)
  const dynamic = types.some((type) => type.dynamic)
  return {
    name: `(${types.map((type) => type.name).join(',')})`,
    head: dynamic ? WORD : head,
    dynamic,
    read(source, at) {
      if (dynamic) source.end = at + head
      let next = at
      const values = types.map((type: AbiType<unknown>) => {
        const value = part(type, source, next, at)
        next += type.head
        return value
      })
      return values as readonly unknown[] as A
    },
  }
}

/** A component: in place where it is static; where it is dynamic, its offset must be where the last tail ended. */
function part<T>(type: AbiType<T>, source: Source, at: number, origin: number): T {
  if (!type.dynamic) return type.read(source, at)
  const offset = size(source, at) * 2
  if (offset !== source.end - origin) fail(source, 'an offset is not where the canonical encoding puts it')
  return type.read(source, source.end)
}

/** Values that were read, and how many bytes follow their canonical encoding. */
export type Read<A> = Readonly<{ values: A; trailing: number }>

/** A reader of values that are encoded one behind the other, as a function's arguments are. */
export type ArgumentReader<A> = Readonly<{
  /** The types' names in brackets. */
  name: string
  /** Total: refuses whatever is not canonical. `from` is the position of the first digit, 2 where there is no selector. */
  read(data: Hex, from?: number): Result<Read<A>>
}>

/** Builds the reader of a list of types. */
export function argumentsOf<A extends readonly unknown[]>(...types: AbiTypes<A>): ArgumentReader<A> {
  const whole = tuple<A>(...types)
  const heads = types.reduce((sum, type) => sum + type.head, 0)
  return {
    name: whole.name,
    read(data, from = 2) {
      const source: Source = { text: data, end: from + heads, fault: null }
      const values = whole.read(source, from)
      const trailing = (data.length - source.end) / 2
      if (source.fault !== null) return refuse(`the calldata is not canonical: ${source.fault}`)
      if (trailing < 0 || !Number.isInteger(trailing)) return refuse('the calldata ends before its last word')
      return ok({ values, trailing })
    },
  }
}

/** A function of a contract: how its arguments are read, and what is made of them. */
export type AbiFunction<C, R> = Readonly<{
  signature: string
  selector: Hex
  call(data: Hex, context: C): Result<Readonly<{ value: R; trailing: number }>>
}>

/** Declares a function by its name and types; the selector follows from them. */
export function abiFunction<A extends readonly unknown[], C, R>(
  name: string,
  types: AbiTypes<A>,
  run: (values: A, context: C) => Result<R>,
): AbiFunction<C, R> {
  const reader = argumentsOf<A>(...types)
  const signature = `${name}${reader.name}`
  return {
    signature,
    selector: keccak256(signature).slice(0, 10) as Hex,
    call(data, context) {
      const read = reader.read(data, 10)
      if (!read.ok) return refuse(`${name}: ${read.reason}`)
      const value = run(read.value.values, context)
      return value.ok ? ok({ value: value.value, trailing: read.value.trailing }) : refuse(`${name}: ${value.reason}`)
    },
  }
}

/** A function that is known and not decoded: why, in words. Its arguments are not read. */
export function refusedFunction<C, R>(signature: string, why: string): AbiFunction<C, R> {
  const refusal = refuse(`${signature.slice(0, signature.indexOf('('))}: ${why}`)
  return { signature, selector: keccak256(signature).slice(0, 10) as Hex, call: () => refusal }
}

/** Functions by selector. */
export type FunctionTable<C, R> = ReadonlyMap<string, AbiFunction<C, R>>

/** Builds the table of a contract's functions. */
export function functionTable<C, R>(functions: readonly AbiFunction<C, R>[]): FunctionTable<C, R> {
  return new Map(functions.map((f) => [f.selector, f]))
}

/** The first four bytes of calldata; null where there are fewer. */
export function selectorOf(data: Hex): string | null {
  return data.length < 10 ? null : data.slice(0, 10)
}

/**
 * Calls the function that calldata names. Trailing bytes are for the caller to judge: `maxTrailing` is 0 wherever the
 * target might read them.
 */
export function callFunction<C, R>(
  table: FunctionTable<C, R>,
  data: Hex,
  context: C,
  maxTrailing = 0,
): Result<Readonly<{ value: R; trailing: number }>> {
  const selector = selectorOf(data)
  const found = selector === null ? undefined : table.get(selector)
  if (found === undefined)
    return refuse(selector === null ? 'no function is called' : `function ${selector} is not decoded`)
  const result = found.call(data, context)
  if (!result.ok || result.value.trailing <= maxTrailing) return result
  return refuse(`${found.signature} is followed by ${result.value.trailing} bytes, where ${maxTrailing} are accepted`)
}
