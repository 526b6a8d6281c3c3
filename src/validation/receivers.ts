import type { Address } from '../lib/address.ts'
import type { DecodedLeg } from '../schema/decoded-action.ts'
import type { Candidate } from './candidate.ts'
import type { Effect, Movement } from './effect.ts'
import type { Intent } from './intent.ts'

type Position = NonNullable<DecodedLeg['positions']>[number]

/** Who should get what comes of it: whoever was named by an address, else the sender. */
export function meantReceiver({ recipient }: Intent, { wallet }: Candidate): Address {
  return recipient !== null && 'address' in recipient ? recipient.address : wallet
}

/** What arrives at one party. */
export function arrivingAt({ receives }: Effect, party: string): readonly Movement[] {
  return receives.filter((one) => one.party === party)
}

/** Everybody who gains: who receives, whose deposit grows, whose debt shrinks. Each once. */
export function gainersOf({ receives, main }: Effect): readonly string[] {
  const accounts = positionsOf(main).filter(gains)
  return [...new Set([...receives, ...accounts].map(({ party }) => party))]
}

/** Everybody at whose cost it is: who pays, whose deposit shrinks, whose debt grows. Each once. */
export function payersOf({ spends, main }: Effect): readonly string[] {
  const accounts = positionsOf(main).filter((position) => !gains(position))
  return [...new Set([...spends, ...accounts].map(({ party }) => party))]
}

function positionsOf(legs: readonly DecodedLeg[]): readonly Position[] {
  return legs.flatMap(({ positions = [] }) => positions)
}

function gains({ side, change }: Position): boolean {
  return (side === 'supply') === (change === 'increase')
}
