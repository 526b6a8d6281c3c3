import { type Address, ZERO_ADDRESS } from '../../lib/address.ts'
import { contractAt } from '../../registry/index.ts'
import { defineLegCheck, type Input } from '../check.ts'
import type { Asset, Leg } from '../decoded-action.ts'
import { partyText } from '../describe.ts'

const DEAD_ADDRESS = '0x000000000000000000000000000000000000dead'

/** Precompiled contracts and the addresses reserved beside them: nobody has their keys. */
const RESERVED_BELOW = 0x10000n

/**
 * Value must not go where nobody can get it back: burn addresses, reserved addresses, a token's own contract, or a
 * venue's contract that keeps what it is sent. Always on; the policy can name more.
 */
export const sinkRecipient = defineLegCheck({
  id: 'sink_recipient',
  field: 'sinks.deny',
  run(leg, input) {
    const { action, policy } = input
    const gifts = giftsOf(leg)
    const trusted = (leg.controls ?? []).filter(({ granted }) => granted).map(({ operator }) => operator)
    if (gifts.length + trusted.length === 0) return { notChecked: 'It sends nothing to anybody.' }
    const denied = [...gifts.map(({ party }) => party), ...trusted].find((one) => policy.sinks?.deny.includes(one))
    if (denied)
      return { failed: 'sink_recipient', reason: `The policy denies sending to ${partyText(action, denied)}.` }
    const sink = gifts.find((gift) => isSink(gift, input))
    if (!sink) return { passed: 'No value goes where it would be lost.' }
    return {
      failed: 'sink_recipient',
      reason: `Value sent to ${partyText(action, sink.party)} could not be recovered.`,
      field: null,
    }
  },
})

type Gift = Readonly<{ party: Address; asset: Asset }>

/** Who is given value: whoever receives, and whoever's account at a venue is credited or has its debt paid. */
function giftsOf({ receives, positions = [] }: Leg): readonly Gift[] {
  return [...receives, ...positions.filter(({ side, change }) => (side === 'supply') === (change === 'increase'))]
}

function isSink({ party, asset }: Gift, { action }: Input): boolean {
  return (
    party === ZERO_ADDRESS ||
    party === DEAD_ADDRESS ||
    party === asset ||
    BigInt(party) < RESERVED_BELOW ||
    contractAt(action.chainId, party) !== undefined
  )
}
