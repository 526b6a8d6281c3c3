import { worthOf } from '../../amounts.ts'
import type { Simulated } from '../../inspection.ts'
import { defineEffectNode, type Finding } from '../../node.ts'
import { arrivingAt, meantReceiver } from '../../receivers.ts'

/** A minimum below this share of the price invites whoever can reorder transactions. Percent. */
const LEAST_PERCENT = 90n
const LONGEST = 86_400
/** How far below the price of a pool a trade may be filled, in basis points; more where the request allows more. */
const MOST_IMPACT_BPS = 300

/** The trade leaves nothing on the table for those who see it before it is mined. */
export const mevRiskyParameters = defineEffectNode({
  id: 'adversarial_detection.mev_risky_parameters',
  async run(effect, { surroundings, intent, candidate, trial }) {
    if (effect.operation !== 'swap') return { skip: 'It is no trade.' }
    const arriving = arrivingAt(effect, meantReceiver(intent, candidate))
    if (arriving.length === 0 || arriving.some(({ amount }) => amount === 0n))
      return { fail: 'Without a minimum output all of it can be taken on the way.' }
    const now = Math.floor(surroundings.now().getTime() / 1000)
    if (effect.until !== null && effect.until > now + LONGEST)
      return {
        fail: 'It stays valid for more than a day: somebody can hold it back until it suits them.',
        details: { deadline: effect.until },
      }
    const [paid, back] = [worthOf(effect.spends, effect), worthOf(arriving, effect)]
    if (paid !== undefined && back !== undefined && back * 100n < paid * LEAST_PERCENT)
      return { fail: `The minimum is worth less than ${LEAST_PERCENT} % of what is paid.` }
    const priced = paid !== undefined && back !== undefined
    const tried = await trial()
    const pools = 'not' in tried ? null : tried.simulated.pools
    const bound = Math.max(MOST_IMPACT_BPS, intent.slippageBps ?? 0)
    return (
      inThinPool(pools, bound) ?? {
        pass: 'The minimum and the deadline leave little to take.',
        details: { deadline: effect.until, priced, ...poolDetails(pools, bound) },
        confidence: priced ? 1 : 0.7,
      }
    )
  },
})

type Pools = Simulated['pools']

/** A trade that moves its pool far can be moved far by others as well. */
function inThinPool(pools: Pools, bound: number): Finding | undefined {
  const details = poolDetails(pools, bound)
  const silent = pools?.find(({ impactBps }) => impactBps === null)
  if (silent) return { fail: `How deep pool ${silent.pool} is could not be read.`, details }
  const thin = pools?.find(({ impactBps }) => (impactBps ?? 0) > bound)
  if (thin === undefined) return undefined
  const [impact, most] = [percent(thin.impactBps ?? 0), percent(bound)]
  return {
    fail: `Pool ${thin.pool} is thin: the trade is filled ${impact} below its price, and ${most} is the most.`,
    details,
  }
}

function poolDetails(pools: Pools, bound: number) {
  if (pools === null) return { pools: 'not checked' }
  return { pools: pools.map(({ pool, impactBps }) => ({ pool, impactBps })), mostImpactBps: bound }
}

function percent(bps: number): string {
  return `${bps / 100} %`
}
