import { worthOf } from '../../amounts.ts'
import { defineEffectNode } from '../../node.ts'
import { orderOf } from '../../order.ts'
import { meantReceiver } from '../../receivers.ts'

const FULL = 10_000n

/** Nobody takes a share of a trade that the request does not know of. */
export const feeAlignment = defineEffectNode({
  id: 'intent_alignment.fee_alignment',
  run(effect, { intent, candidate }) {
    const feeTo = orderOf(effect)?.feeTo
    // How much it is no field of an order says, so that none can be what was asked for.
    if (feeTo) return { fail: `${feeTo} would get a fee of it: how much is not known.`, details: { to: [feeTo] } }
    if (effect.operation !== 'swap') return { skip: 'It is no trade.' }
    const { feeBps } = intent
    const meant = meantReceiver(intent, candidate)
    const fees = effect.receives.filter(({ party }) => party !== meant)
    if (fees.length === 0) return { pass: 'Nobody else takes a part of it.' }
    const to = [...new Set(fees.map(({ party }) => party))]
    if (feeBps === null)
      return { fail: `${to.join(', ')} would get a part of it, which was not asked for.`, details: { to } }
    const [all, taken] = [worthOf(effect.receives, effect), worthOf(fees, effect)]
    if (all === undefined || taken === undefined)
      return { fail: 'How much of it goes to others is not known.', details: { to } }
    if (taken * FULL <= all * BigInt(Math.round(feeBps)))
      return { pass: 'The fee is within what was allowed.', details: { to } }
    return { fail: `More than the fee of ${feeBps / 100} % goes to ${to.join(', ')}.`, details: { to } }
  },
})
