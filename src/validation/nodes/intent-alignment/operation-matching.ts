import type { Candidate } from '../../candidate.ts'
import type { Effect } from '../../effect.ts'
import type { Intent, Operation } from '../../intent.ts'
import { defineEffectNode, type Finding } from '../../node.ts'
import { matchOrder, orderOf } from '../../order.ts'

/** It does what was asked for, nothing else, and for whom it was asked. */
export const operationMatching = defineEffectNode({
  id: 'intent_alignment.operation_matching',
  critical: true,
  after: ['technical_invariants.protocol_compatibility'],
  run(effect, { intent, candidate }) {
    if (intent.ambiguities.length > 0)
      return {
        fail: `The request is not clear: ${intent.ambiguities.join('; ')}.`,
        details: { ambiguities: [...intent.ambiguities] },
      }
    if (intent.operation === null) return { fail: 'The request does not say what to do.' }
    const actual = effect.operation
    const details = { intended: intent.operation, actual }
    if (actual === null) return { fail: 'It does several things at once.', details }
    if (!isSame(intent, actual))
      return { fail: `${intent.operation} was asked for, and it is ${article(actual)}.`, details }
    const order = orderOf(effect)
    const wrongOrder = order && matchOrder(order, intent, candidate.wallet)
    if (wrongOrder) return wrongOrder
    return receiverOf(effect, intent, candidate) ?? { pass: `It is ${article(actual)}, as asked for.`, details }
  },
})

/** Wrapping the chain's own coin is a trade of it for its wrapped form. */
function isSame({ operation }: Intent, actual: Operation): boolean {
  return operation === actual || (operation === 'swap' && (actual === 'wrap' || actual === 'unwrap'))
}

/** Who gets what must be who was named; without a name, the sender. A fee beside is another node's question. */
function receiverOf(effect: Effect, { recipient, operation }: Intent, candidate: Candidate): Finding | undefined {
  if (recipient !== null && 'name' in recipient)
    return { fail: `${recipient.name} is a name: who it stands for is not known. Use the address.` }
  const { wallet, walletKnown } = candidate
  const payer = effect.spends.find(({ party }) => party !== wallet)
  if (payer) return { fail: `It takes from ${payer.party}, who did not ask.` }
  if (operation === 'approve' || operation === 'revoke') return undefined
  if (recipient === null && operation === 'transfer') return { fail: 'The request does not say who should receive it.' }
  const meant = recipient?.address ?? wallet
  const parties = effect.receives.map(({ party }) => party)
  const accounts = effect.main.flatMap((leg) => (leg.positions ?? []).map(({ party }) => party))
  const details = {
    intended: recipient?.address ?? (walletKnown ? wallet : 'the sender'),
    actual: [...new Set([...parties, ...accounts])],
  }
  const reached = parties.includes(meant) || (accounts.includes(meant) && parties.length === 0)
  const stranger = [...accounts, ...(reached ? [] : parties)].find((party) => party !== meant && party !== wallet)
  if (reached && stranger === undefined) return undefined
  if (!reached && parties.length === 0 && stranger === undefined) return undefined
  if (recipient === null && !walletKnown)
    return {
      fail: `Value goes to ${stranger ?? parties[0]}, and the request does not say who sends: give proposed_tx.from.`,
      details,
    }
  return { fail: `${meant} should receive it, and ${stranger ?? parties[0]} would.`, details }
}

function article(operation: Operation): string {
  return /^[aeiou]/.test(operation) ? `an ${operation}` : `a ${operation}`
}
