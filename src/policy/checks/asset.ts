import { checksumAddress } from '../../lib/address.ts'
import type { Policy } from '../../schema/policy.ts'
import { defineLegCheck } from '../check.ts'
import type { Asset } from '../decoded-action.ts'

/** Every asset that moves or may be spent must be in the policy's universe. */
export const asset = defineLegCheck({
  id: 'asset',
  field: 'assets.allow',
  run(leg, { action, policy }) {
    if (!policy.assets) return { notChecked: 'The policy lists no assets.' }
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

function isListed(assets: Policy['assets'], chainId: number, asset: Asset): boolean {
  return (
    assets?.allow.some((entry) => 'address' in entry && entry.chainId === chainId && entry.address === asset) ?? false
  )
}
