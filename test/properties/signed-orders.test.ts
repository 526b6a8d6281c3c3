// Whatever value of a signed order is changed, its digest is another one, or it is refused; and what the value decides of
// the swap changes with it, but for the values that are listed with what they are for.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { decodeProposed } from '../../src/policy/decode-proposed.ts'
import type { DecodedAction } from '../../src/policy/decoded-action.ts'
import { ProposedTx } from '../../src/schema/action.ts'
import { FRIEND, STRANGER, WALLET } from '../policy/decoders/flows.ts'
import {
  leavesOf,
  ORDER_PROTOCOLS,
  type OrderVector,
  orderVectors,
  replacedAt,
  valueAt,
} from '../support/signed-orders.ts'
import { volume } from '../support/volume.ts'

/** Values that decide nothing of what leaves at most, what arrives at least, where, and until when. */
const WITHOUT_EFFECT: ReadonlyMap<string, string> = new Map([
  ['salt', 'tells orders apart'],
  ['appData', 'a hash of words'],
  ['partiallyFillable', 'a part is settled at the same price'],
  ['kind', 'a buy fills up to what is sold, a sale brings at least what is bought'],
  ['nonce', 'tells orders apart'],
  ['decayStartTime', 'when the auction runs'],
  ['decayEndTime', 'when the auction runs'],
  ['exclusivityOverrideBps', 'only betters the terms'],
  ['baseInputStartAmount', 'better than the end'],
  ['inputStartAmount', 'better than the end'],
  ['startAmount', 'better than the end'],
  ['relativeBlocks', 'within the bounds'],
  ['relativeAmounts', 'within the bounds'],
  ['adjustmentPerGweiBaseFee', 'within the bounds'],
  ['startingBaseFee', 'within the bounds'],
  ['auctionStartBlock', 'when the auction runs'],
  ['baselinePriorityFeeWei', 'only betters the terms'],
  ['mpsPerPriorityFeeWei', 'only betters the terms'],
  [
    'makerTraits',
    'its flags say who fills, how often and in which parts; its end and the unwrapping are tested by name',
  ],
])

const ZERO = '0x0000000000000000000000000000000000000000'
const vectors = ORDER_PROTOCOLS.flatMap(orderVectors).filter(
  ({ proposed }) => proposed.typedData.primaryType !== 'OrderCancellations',
)
const anyOrder = fc.constantFrom(...vectors)

const amount = fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }).map(String)
const nearby = fc.constantFrom(-1n, 1n, 1n << 40n, 1n << 80n, 1n << 200n)

/** Another value of the same kind at a place of the message, and now and then one of another kind. */
function otherValue(before: unknown): fc.Arbitrary<unknown> {
  const wrong = fc.constantFrom<unknown[]>(null, '', -1, 1.5, [], {}, '0x', 'x', true)
  if (typeof before === 'boolean') return fc.oneof({ weight: 9, arbitrary: fc.constant(!before) }, wrong)
  const text = String(before)
  if (/^0x[0-9a-f]{40}$/.test(text))
    return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(STRANGER, FRIEND, WALLET) }, wrong)
  if (/^-?\d+$/.test(text)) {
    const near = nearby.map((step) => (BigInt(text) + step).toString())
    return fc.oneof({ weight: 6, arbitrary: near }, { weight: 3, arbitrary: amount }, wrong)
  }
  return fc.oneof(fc.constantFrom<unknown[]>('buy', 'sell', 'internal', `0x${'12'.repeat(32)}`, '0x00'), wrong)
}

const mutation = anyOrder.chain((vector) =>
  fc.constantFrom(...leavesOf(vector.proposed.typedData.message)).chain((path) => {
    const before = valueAt(vector.proposed.typedData.message, path)
    return otherValue(before).map((after) => ({ vector, path, before, after }))
  }),
)

const decode = (proposed: unknown) => {
  const parsed = ProposedTx.safeParse(proposed)
  return parsed.success ? decodeProposed(parsed.data, WALLET) : undefined
}
const original = ({ proposed }: OrderVector): DecodedAction => {
  const result = decode(proposed)
  assert.ok(result?.ok)
  return result.value
}
const textOf = (value: unknown) =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? one.toString() : one))

describe('a signed order', () => {
  test('with another value is another order, or none', () => {
    let refused = 0
    let other = 0
    fc.assert(
      fc.property(mutation, ({ vector, path, before, after }) => {
        if (textOf(before) === textOf(after) || String(before) === String(after)) return
        const result = decode(replacedAt(vector.proposed, ['typedData', 'message', ...path], after))
        if (result === undefined || !result.ok) {
          refused += 1
          return
        }
        other += 1
        const was = original(vector)
        assert.notEqual(result.value.digest, was.digest, path.join('.'))
        const name = path.filter((part) => !/^\d+$/.test(part)).at(-1) ?? ''
        if (WITHOUT_EFFECT.has(name)) return
        // The owner, named or not.
        if (name === 'receiver' && [before, after].every((one) => one === ZERO || one === WALLET)) return
        const effect = ({ legs, touches, calls }: DecodedAction) => textOf([legs, touches, calls])
        assert.notEqual(effect(result.value), effect(was), path.join('.'))
      }),
      { numRuns: volume(2_000, 50_000), seed: 21 },
    )
    assert.ok(refused > 100 && other > 100, `${refused} refused, ${other} other orders`)
  })

  test('is read in one way, whatever its domain, types or envelope say', () => {
    const places = anyOrder.chain((vector) =>
      fc
        .constantFrom(
          ...leavesOf(vector.proposed).filter(([first, second]) => second !== 'message' && first !== 'chainId'),
        )
        .chain((path) => otherValue(valueAt(vector.proposed, path)).map((after) => ({ vector, path, after }))),
    )
    fc.assert(
      fc.property(places, ({ vector, path, after }) => {
        if (String(valueAt(vector.proposed, path)) === String(after)) return
        const result = decode(replacedAt(vector.proposed, path, after))
        if (result?.ok) assert.notEqual(result.value.digest, original(vector).digest, path.join('.'))
      }),
      { numRuns: volume(1_000, 20_000), seed: 22 },
    )
  })

  test('of any words is refused, and never more than refused', () => {
    const wallet = WALLET
    const anything = fc.record({
      protocol: fc.constantFrom(...ORDER_PROTOCOLS),
      chainId: fc.constantFrom(1, 8453, 42161, 137, 11155111, 999),
      typedData: fc.record({
        domain: fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<never>),
        types: fc.dictionary(fc.string(), fc.array(fc.record({ name: fc.string(), type: fc.string() }))),
        primaryType: fc.constantFrom('Order', 'PermitWitnessTransferFrom', 'OrderCancellations', 'x'),
        message: fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<never>),
      }),
    })
    fc.assert(
      fc.property(anything, (proposed) => {
        const result = decodeProposed(proposed as ProposedTx, wallet)
        assert.ok(!result.ok)
        assert.notEqual(result.reason, 'The decoder failed on these bytes.')
      }),
      { numRuns: volume(1_000, 20_000), seed: 23 },
    )
  })
})
