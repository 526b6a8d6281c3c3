import { ZERO_ADDRESS } from '../../lib/address.ts'
import { contractAt } from '../../registry/index.ts'
import { defineLegCheck, type Input } from '../check.ts'
import type { Flow } from '../decoded-action.ts'
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
    if (leg.receives.length === 0) return { notChecked: 'It sends nothing to anybody.' }
    const { action, policy } = input
    const denied = leg.receives.find(({ party }) => policy.sinks?.deny.includes(party))
    if (denied)
      return { failed: 'sink_recipient', reason: `The policy denies sending to ${partyText(action, denied.party)}.` }
    const sink = leg.receives.find((flow) => isSink(flow, input))
    if (!sink) return { passed: 'No value goes where it would be lost.' }
    return {
      failed: 'sink_recipient',
      reason: `Value sent to ${partyText(action, sink.party)} could not be recovered.`,
      field: null,
    }
  },
})

function isSink({ party, asset }: Flow, { action }: Input): boolean {
  return (
    party === ZERO_ADDRESS ||
    party === DEAD_ADDRESS ||
    party === asset ||
    BigInt(party) < RESERVED_BELOW ||
    contractAt(action.chainId, party) !== undefined
  )
}
