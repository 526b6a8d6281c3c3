import type { Candidate } from '../../candidate.ts'
import type { Effect } from '../../effect.ts'
import type { Intent, Operation } from '../../intent.ts'
import { defineEffectNode, type Finding } from '../../node.ts'
import { matchOrder, orderOf } from '../../order.ts'
import { gainersOf, meantReceiver, payersOf } from '../../receivers.ts'

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

/**
 * Whoever gains must be who was named; without a name, the sender. In a trade somebody else's part beside it is the
 * question of another node.
 */
function receiverOf(effect: Effect, intent: Intent, candidate: Candidate): Finding | undefined {
  const { recipient, operation, sender } = intent
  if (recipient !== null && 'name' in recipient)
    return { fail: `${recipient.name} is a name: who it stands for is not known. Use the address.` }
  const { wallet, walletKnown } = candidate
  if (sender !== null && sender !== wallet)
    return { fail: `${sender} should send it, and ${walletKnown ? wallet : 'nobody is named who'} would.` }
  const payer = payersOf(effect).find((party) => party !== wallet)
  if (payer !== undefined)
    return { fail: `It takes from ${payer}, who did not ask.${walletKnown ? '' : ' Say who sends: proposed_tx.from.'}` }
  if (operation === 'approve' || operation === 'revoke') return undefined
  if (recipient === null && operation === 'transfer') return { fail: 'The request does not say who should receive it.' }
  const meant = meantReceiver(intent, candidate)
  const gainers = gainersOf(effect)
  const isTrade = effect.operation === 'swap' || effect.operation === 'order'
  const stranger = isTrade && gainers.includes(meant) ? undefined : gainers.find((party) => party !== meant)
  const isDue = operation === 'transfer' || recipient !== null
  if (stranger === undefined && (gainers.length > 0 || !isDue)) return undefined
  const intended = recipient?.address ?? (walletKnown ? wallet : 'the sender')
  const details = { intended, actual: [...gainers] }
  if (recipient === null && !walletKnown)
    return {
      fail: `Value goes to ${stranger}, and the request does not say who sends: give proposed_tx.from.`,
      details,
    }
  const also = gainers.includes(meant) ? ', alone' : ''
  return { fail: `${meant} should receive it${also}, and ${stranger ?? 'nobody'} would.`, details }
}

function article(operation: Operation): string {
  return /^[aeiou]/.test(operation) ? `an ${operation}` : `a ${operation}`
}
