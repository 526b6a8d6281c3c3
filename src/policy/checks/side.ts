import { tokenAt } from '../../registry/index.ts'
import { defineLegCheck } from '../check.ts'
import type { Asset, Leg } from '../decoded-action.ts'

type Side = 'buy' | 'sell'

/** A trade's side must be allowed. Paying with a dollar coin buys, receiving one sells; any other swap does both. An order says it. */
export const side = defineLegCheck({
  id: 'side',
  field: 'sides.allow',
  run(leg, { action, policy }) {
    if (leg.kind !== 'swap' && leg.order === undefined) return { notChecked: 'It is no trade.' }
    if (!policy.sides) return { notChecked: 'The policy limits no side.' }
    const { allow } = policy.sides
    const forbidden = sidesOf(leg, action.chainId).find((one) => !allow.includes(one))
    if (!forbidden) return { passed: 'The side of the trade is allowed.' }
    return {
      failed: 'side_not_allowed',
      reason: `This trade is a ${forbidden}; the policy allows ${allow.join(', ') || 'neither side'}.`,
    }
  },
})

function sidesOf({ spends, receives, order }: Leg, chainId: number): readonly Side[] {
  if (order) return [order.side]
  const isDollar = (asset: Asset) => asset !== 'native' && tokenAt(chainId, asset)?.stable === true
  const paysDollars = spends.every(({ asset }) => isDollar(asset))
  const getsDollars = receives.every(({ asset }) => isDollar(asset))
  if (paysDollars && !getsDollars) return ['buy']
  if (getsDollars && !paysDollars) return ['sell']
  return ['buy', 'sell']
}
