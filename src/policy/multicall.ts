import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { argumentsOf, array, bool, bytes, tuple } from './calldata.ts'

/** `aggregate3((address target, bool allowFailure, bytes callData)[])` of Multicall3. */
const AGGREGATE3 = '0x82ad56cb'
const WORD_DIGITS = 64

const answers = argumentsOf(array(tuple(bool, bytes)))

/** Several calls as one call of Multicall3, none of which stops the others by failing. */
export function multicallOf(calls: readonly Readonly<{ to: Address; data: Hex }>[]): Hex {
  const items = calls.map(({ to, data }) => {
    const digits = data.slice(2)
    const padded = digits.padEnd(Math.ceil(digits.length / WORD_DIGITS) * WORD_DIGITS, '0')
    return `${to.slice(2).padStart(WORD_DIGITS, '0')}${word(1)}${word(3 * 32)}${word(digits.length / 2)}${padded}`
  })
  let at = calls.length * 32
  const heads = items.map((item) => {
    const head = word(at)
    at += item.length / 2
    return head
  })
  return `${AGGREGATE3}${word(32)}${word(calls.length)}${heads.join('')}${items.join('')}`
}

/** What each call answered. A call that reverted is a refusal at its place; anything but one answer a call is none at all. */
export function answersOf(data: Hex, count: number): Result<readonly Result<Hex>[]> {
  const read = answers.read(data)
  if (!read.ok) return refuse('the answer is not one of Multicall3')
  const [results] = read.value.values
  if (results.length !== count) return refuse('the answer is not of as many calls as were made')
  return ok(results.map(([success, bytes]) => (success ? ok(bytes) : refuse('the call reverted'))))
}

function word(value: number): string {
  return value.toString(16).padStart(WORD_DIGITS, '0')
}
