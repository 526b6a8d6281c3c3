import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import type { CalledFunction, Leg } from './decoded-action.ts'
import type { Decoded, DecodeInner } from './decoder.ts'

/** One call of a batch. `mayFail` says that the batch goes on without it. */
export type BatchedCall = Readonly<{ to: Address; value: bigint; data: Hex; mayFail?: boolean }>

/**
 * All calls of a batch as one action, each read as sent by `sender`: completely, or not at all. What may fail without
 * ending the batch guarantees nothing.
 */
export function decodeBatch(calls: readonly BatchedCall[], sender: Address, decodeInner: DecodeInner): Result<Decoded> {
  const legs: Leg[] = []
  const touches: Address[] = []
  const called: CalledFunction[] = []
  for (const [i, { to, value, data, mayFail = false }] of calls.entries()) {
    const inner = decodeInner({ wallet: sender, to, value, data })
    if (!inner.ok) return refuse(`Call ${i + 1} of ${calls.length} to ${to}: ${inner.reason}`)
    // Whatever reads past its arguments inside a batch reads the batch's own bytes.
    if (inner.value.trailingBytes) return refuse(`Call ${i + 1} of ${calls.length}: bytes follow its arguments.`)
    legs.push(...(mayFail ? inner.value.legs.map(unguarded) : inner.value.legs))
    touches.push(...(inner.value.touches ?? []))
    called.push(...(inner.value.calls ?? []))
  }
  const [first, ...rest] = legs
  if (first === undefined) return refuse('The batch is empty.')
  return ok({ legs: [first, ...rest], touches, calls: called })
}

/** A leg that may not happen: what it would bring in is nothing to count on, and what it would take still counts. */
export function unguarded(leg: Leg): Leg {
  return {
    ...leg,
    receives: leg.receives.map((flow) => (isPayment(leg) ? flow : { ...flow, amount: 0n, bound: 'min' })),
  }
}

/** What a transfer hands over is what it takes; there is no guarantee in it to lose. */
function isPayment({ kind }: Leg): boolean {
  return kind === 'transfer'
}
