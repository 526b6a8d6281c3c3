import { chainOf } from '../../../registry/index.ts'
import type { Effect } from '../../effect.ts'
import type { Intent, Operation } from '../../intent.ts'
import { defineNode, type Finding, type NodeInput } from '../../node.ts'

/** Venues whose contracts serve others, so that an intent need not name them. */
const PLAIN = new Set(['native', 'erc20', 'weth', 'permit2'])
/** What needs no venue, so that one that is named would be another deed. */
const PLACELESS: readonly Operation[] = ['transfer', 'wrap', 'unwrap']
/** What only carries calls to others. */
const CARRIERS = new Set(['own-account', 'multicall3', 'safe'])

/** The candidate goes to a contract that is understood, at the venue and on the chain that were meant. */
export const protocolCompatibility = defineNode({
  id: 'technical_invariants.protocol_compatibility',
  critical: true,
  after: ['technical_invariants.format_validation_lowlevel'],
  run(input) {
    const { candidate, intent, effect } = input
    if (intent.chainId !== null && intent.chainId !== candidate.chainId)
      return {
        fail: `It was asked for on ${chainText(intent.chainId)}, and would run on ${chainText(candidate.chainId)}.`,
        details: { intended: intent.chainId, actual: candidate.chainId },
      }
    const unknown = candidate.steps.flatMap(({ inspection }) => (inspection.ok ? [] : [inspection.reason]))[0]
    if (effect === undefined) return { fail: unknown ?? 'It was not understood.' }
    return namedProtocol(input, effect) ?? intendedVenue(intent, effect)
  },
})

/** The protocol that the request names must be the one that the target is of. */
function namedProtocol({ request }: NodeInput, { inspection }: Effect): Finding | undefined {
  const named = request.proposed_tx.protocol?.toLowerCase().replace(/[^a-z0-9].*$/, '')
  if (named === undefined || named === '' || named === 'evm' || isPlain(inspection.protocol)) return undefined
  if (named === inspection.protocol || named.startsWith(inspection.protocol)) return undefined
  return { fail: `"protocol" says ${named}, and the contract is one of ${inspection.protocol}.` }
}

function intendedVenue({ venue, operation }: Intent, { inspection, main }: Effect): Finding {
  const { protocol, chainId } = inspection
  const passed = { pass: `It runs at ${protocol} on ${chainText(chainId)}.`, details: { protocol, chainId } }
  // A token or the coin itself is no venue: whether such an action is the one that was asked for is another question.
  if (venue === null || venue === protocol) return passed
  const places = main.map((leg) => leg.protocol)
  if (operation !== null && PLACELESS.includes(operation) && places.some((place) => place !== venue))
    return { fail: `It was asked for at ${venue}, and runs at none.`, details: { intended: venue } }
  const other = isPlain(protocol) ? places.find((place) => place !== venue && !PLAIN.has(place)) : protocol
  if (other === undefined || places.every((place) => place === venue)) return passed
  return {
    fail: `It was asked for at ${venue}, and would run at ${other}.`,
    details: { intended: venue, actual: other },
  }
}

/** Whether a target says nothing of where an action runs. */
function isPlain(protocol: string): boolean {
  return PLAIN.has(protocol) || CARRIERS.has(protocol)
}

function chainText(id: number): string {
  return chainOf(id)?.name ?? `chain ${id}`
}
