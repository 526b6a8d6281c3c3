import { worthOf } from '../../amounts.ts'
import { defineEffectNode } from '../../node.ts'

/** A minimum below this share of the price invites whoever can reorder transactions. Percent. */
const LEAST_PERCENT = 90n
const LONGEST = 86_400

/** The trade leaves nothing on the table for those who see it before it is mined. */
export const mevRiskyParameters = defineEffectNode({
  id: 'adversarial_detection.mev_risky_parameters',
  run(effect, { surroundings }) {
    if (effect.operation !== 'swap') return { skip: 'It is no trade.' }
    if (effect.receives.length === 0 || effect.receives.some(({ amount }) => amount === 0n))
      return { fail: 'Without a minimum output all of it can be taken on the way.' }
    const now = Math.floor(surroundings.now().getTime() / 1000)
    if (effect.deadline !== null && effect.deadline > now + LONGEST)
      return {
        fail: 'It stays valid for more than a day: somebody can hold it back until it suits them.',
        details: { deadline: effect.deadline },
      }
    const [paid, back] = [worthOf(effect.spends, effect), worthOf(effect.receives, effect)]
    if (paid !== undefined && back !== undefined && back * 100n < paid * LEAST_PERCENT)
      return { fail: `The minimum is worth less than ${LEAST_PERCENT} % of what is paid.` }
    const details = { deadline: effect.deadline, priced: paid !== undefined && back !== undefined }
    return { pass: 'The minimum and the deadline leave little to take.', details, confidence: details.priced ? 1 : 0.7 }
  },
})
