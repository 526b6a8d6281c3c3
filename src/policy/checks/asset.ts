import { checksumAddress } from '../../lib/address.ts'
import type { Policy } from '../../schema/policy.ts'
import { defineLegCheck, type Outcome } from '../check.ts'
import type { Asset } from '../decoded-action.ts'
import { type Facts, whyMissing } from '../facts.ts'
import { marketOf } from '../order.ts'

/** Every asset that moves or may be spent must be in the policy's universe. */
export const asset = defineLegCheck({
  id: 'asset',
  field: 'assets.allow',
  needs: ({ action, policy }) => (policy.assets && action.legs.some(({ order }) => order) ? ['markets'] : []),
  run(leg, { action, policy, facts }) {
    if (!policy.assets) return { notChecked: 'The policy lists no assets.' }
    if (leg.order) return orderedMarket(leg.venue, leg.order.market, policy.assets, facts)
    const parts = [...leg.spends, ...leg.receives, ...leg.grants, ...(leg.positions ?? [])]
    const used = new Set(parts.map((part) => part.asset))
    const outside = [...used].find((one) => !isListed(policy.assets, action.chainId, one))
    if (outside === undefined) return { passed: 'Every asset of it is in the allowed universe.' }
    const name = outside === 'native' ? 'The native coin' : `Token ${checksumAddress(outside)}`
    return {
      failed: 'asset_not_in_universe',
      reason: `${name} on chain ${action.chainId} is not among the allowed assets.`,
    }
  },
})

/** A market is listed by the venue and the symbol that the venue has for it; an outcome also by the market that it is of. */
function orderedMarket(
  venue: string,
  market: string,
  { allow }: NonNullable<Policy['assets']>,
  facts: Facts,
): Outcome<'asset'> {
  const found = marketOf(market, facts)
  if (found === undefined)
    return { unavailable: `What market ${market} of ${venue} is, is not known. ${whyMissing('markets', facts)}` }
  const { symbol, group } = found
  const listed = allow.some(
    (entry) => 'venue' in entry && entry.venue === venue && (entry.symbol === symbol || entry.symbol === group),
  )
  if (listed) return { passed: `${symbol} of ${venue} is in the allowed universe.` }
  return { failed: 'asset_not_in_universe', reason: `${symbol} of ${venue} is not among the allowed assets.` }
}

function isListed(assets: Policy['assets'], chainId: number, asset: Asset): boolean {
  return (
    assets?.allow.some((entry) => 'address' in entry && entry.chainId === chainId && entry.address === asset) ?? false
  )
}
