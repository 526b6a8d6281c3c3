// The decoders are total, accept only canonical bytes, and miss nothing: whatever byte or field is changed, the decoded
// action changes or is refused, but where the reasons that are listed with the samples say that nothing is lost by it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Hex } from 'viem'
import { toFunctionSelector } from 'viem'
import type { Address } from '../../src/lib/address.ts'
import type { Result } from '../../src/lib/result.ts'
import { decode } from '../../src/policy/decode.ts'
import type { DecodedAction } from '../../src/policy/decoded-action.ts'
import { contractOf } from '../../src/registry/index.ts'
import { arbitraryActions } from '../support/arbitrary-actions.ts'
import { notCanonical } from '../support/canonical.ts'
import type { Cast } from '../support/dice.ts'
import { type Encoded, FUNCTIONS, tokens, uniswap } from '../support/encode.ts'
import { ROUTER_FUNCTIONS } from '../support/encode-routers.ts'
import { byteChanged, mutated } from '../support/mutate.ts'
import { REASONS, WALLET } from '../support/sample.ts'
import { SAMPLES } from '../support/samples.ts'

const FRIEND = '0xf700000000000000000000000000000000000057'
const CHAIN = 1

const decoded = (tx: Pick<Encoded, 'to' | 'data' | 'value' | 'protocol'>): Result<DecodedAction> =>
  decode({ ...tx, chainId: CHAIN }, WALLET as Address)

/** A text that is equal for equal actions. */
const textOf = (action: DecodedAction) =>
  JSON.stringify(action, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))

const SIGNATURE: Hex = `0x${'5a'.repeat(65)}`
const details = { token: tokens.USDC, amount: 5n, expiration: 1_900_000_000, nonce: 0 }
const permit = { spender: uniswap.universalRouter20, sigDeadline: 1_900_000_000n }
const cast: Cast = {
  wallet: WALLET,
  friends: [FRIEND],
  lender: '0x5700000000000000000000000000000000000057',
  permits: [{ permit: { ...permit, details }, signature: SIGNATURE }],
  batches: [{ permit: { ...permit, details: [details, { ...details, token: tokens.DAI }] }, signature: SIGNATURE }],
}
const actions = arbitraryActions(cast)
const { universalRouter } = actions
const anyAction = fc.oneof(...Object.values(actions))
const ADDRESSES = [WALLET, FRIEND, ...Object.values(tokens), ...Object.values(uniswap)] as const
const anyMutation = anyAction
  .chain((tx) => mutated(tx, ADDRESSES))
  .chain((tx) => fc.oneof(fc.constant(tx), mutated(tx, ADDRESSES)))

describe('any bytes', () => {
  const kinds = [
    'wrapped-native',
    'permit2',
    'uniswap-swap-router-02',
    'uniswap-universal-router',
    'uniswap-v2-router-02',
    'uniswap-v3-swap-router',
  ] as const
  const targets = [FRIEND, WALLET, ...Object.values(tokens), ...kinds.map((kind) => contractOf(CHAIN, kind) ?? FRIEND)]
  const selectors = [...Object.values(FUNCTIONS), ...Object.values(ROUTER_FUNCTIONS)]
    .flat()
    .flatMap((item) => (item.type === 'function' ? [toFunctionSelector(item)] : []))
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('hex')),
    // Small words look like offsets and lengths, and get further.
    fc
      .array(
        fc.oneof(
          fc.nat({ max: 10 }).map((n) => 32 * n),
          fc.nat({ max: 3 }),
          fc.constant(2 ** 32 - 1),
        ),
        { maxLength: 20 },
      )
      .map((words) => words.map((word) => word.toString(16).padStart(64, '0')).join('')),
  )
  const calls = fc.record({
    to: fc.constantFrom(...targets),
    data: fc.tuple(fc.constantFrom(...selectors, '0x12345678', '0x'), body).map(([selector, rest]) => selector + rest),
    value: fc.constantFrom('0x0', '5', '0xde0b6b3a7640000'),
    protocol: fc.constantFrom('erc20', 'weth', 'permit2', 'uniswap'),
    chainId: fc.constantFrom(1, 8453, 999, 11155111),
  })

  test('are decoded or refused with a sentence, never thrown at', () => {
    fc.assert(
      fc.property(calls, (call) => {
        const result = decode(call, WALLET as Address)
        if (!result.ok) assert.ok(result.reason.length > 0 && result.reason.length < 1000)
      }),
      { numRuns: 20_000, seed: 1 },
    )
  })

  test('and so are the fields of a transaction', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('0x', '0x0', '0xzz', '-1', '1e400', WALLET, '\u0000'))
    const fields = fc.record({ protocol: text, to: text, value: text, data: text, chainId: fc.double() })
    fc.assert(
      fc.property(fields, (call) => assert.equal(decode(call, WALLET as Address).ok, false)),
      { numRuns: 2_000, seed: 1 },
    )
  })
})

describe('what is decoded is canonical', () => {
  test('of random actions, as they are and changed: viem reads the same and writes the same bytes', () => {
    let accepted = 0
    fc.assert(
      fc.property(fc.oneof(anyAction, anyMutation), (tx) => {
        const result = decoded(tx)
        if (!result.ok) return
        accepted += 1
        assert.equal(notCanonical(tx, result.value.trailingBytes), null)
      }),
      { numRuns: 2_000, seed: 2 },
    )
    assert.ok(accepted > 600, String(accepted))
  })

  test('the other way round, what viem would write otherwise is refused', () => {
    let foreign = 0
    fc.assert(
      fc.property(anyMutation, (tx) => {
        const fault = (() => {
          try {
            return notCanonical(tx, 0)
          } catch {
            return 'viem does not read it'
          }
        })()
        if (fault === null) return
        foreign += 1
        const result = decoded(tx)
        assert.ok(!result.ok || result.value.trailingBytes > 0 || result.value.selector === null, fault)
      }),
      { numRuns: 1_500, seed: 3 },
    )
    assert.ok(foreign > 400, String(foreign))
  })
})

describe('nothing is overlooked', () => {
  for (const { name, tx, changed, inert } of SAMPLES)
    test(name, () => {
      const result = decoded(tx)
      assert.ok(result.ok, result.ok ? '' : result.reason)
      const before = textOf(result.value)
      const same = (other: Encoded) => {
        const after = decoded(other)
        return after.ok && textOf(after.value) === before
      }
      for (const { field, tx: other } of changed) assert.ok(!same(other), `${field} changes the action`)
      for (const { field, reason, tx: other } of inert) assert.ok(same(other), `${field}: ${REASONS[reason]}`)
      const silent = inertBytes(
        tx.data,
        inert.map((one) => one.tx.data),
      )
      for (let at = 0; at < (tx.data.length - 2) / 2; at++) {
        if (silent.has(at)) continue
        const byte = Number.parseInt(tx.data.slice(2 + 2 * at, 4 + 2 * at), 16)
        // The flag that lets a command fail has a test of its own.
        for (const change of flagged(tx, at) ? [0x01, 0x10, 0xff] : [0x01, 0x10, 0x80, 0xff])
          assert.ok(!same(byteChanged(tx, at, byte ^ change)), `byte ${at} of ${tx.data} made ${byte ^ change}`)
      }
    })

  /** Bytes that differ in a sample with an inert field changed in all its bits. */
  function inertBytes(data: Hex, others: readonly Hex[]): ReadonlySet<number> {
    const bytes = Array.from({ length: (data.length - 2) / 2 }, (_, at) => at)
    return new Set(
      bytes.filter((at) =>
        others.some((other) => other.slice(2 + 2 * at, 4 + 2 * at) !== data.slice(2 + 2 * at, 4 + 2 * at)),
      ),
    )
  }
})

describe('the flag that lets a command fail', () => {
  test('changes nothing: a command’s effect is taken to happen, and no guard is taken from one that can fail', () => {
    fc.assert(
      fc.property(universalRouter, fc.nat(), (tx, which) => {
        const before = decoded(tx)
        const [from, length] = commandBytes(tx)
        if (length === 0) return
        const at = from + (which % length)
        const byte = Number.parseInt(tx.data.slice(2 + 2 * at, 4 + 2 * at), 16)
        // Nothing in a plan of its own that may fail is certain.
        if ((byte & 0x7f) === 0x21) return
        const after = decoded(byteChanged(tx, at, byte ^ 0x80))
        assert.equal(before.ok, after.ok)
        if (before.ok && after.ok) assert.equal(textOf(after.value), textOf(before.value))
      }),
      { numRuns: 500, seed: 4 },
    )
  })
})

/** Where a plan's commands are, and how many: they are the first tail, behind two or three heads and their length. */
function commandBytes({ data }: Encoded): readonly [from: number, length: number] {
  const heads = data.startsWith('0x3593564c') ? 3 : 2
  return [4 + 32 * (heads + 1), Number.parseInt(data.slice(10 + 64 * heads, 74 + 64 * heads), 16)]
}

function flagged(tx: Encoded, at: number): boolean {
  if (![uniswap.universalRouter20, uniswap.universalRouter21].some((router) => router === tx.to)) return false
  const [from, length] = commandBytes(tx)
  return at >= from && at < from + length
}
