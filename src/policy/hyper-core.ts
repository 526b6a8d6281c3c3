import { checksumAddress } from '../lib/address.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { coreBridge, HYPER_EVM, isCoreSystemAddress } from '../registry/index.ts'
import type { Leg } from './decoded-action.ts'

/**
 * A transfer on HyperEVM to a system address does not go to anybody: it brings the asset to the sender's own account on
 * HyperCore. Any other transfer stays what it is; one to a system address that is of another asset would lose it.
 */
export function bridged(leg: Leg, chainId: number): Result<Leg> {
  const [sent] = leg.receives
  if (leg.kind !== 'transfer' || chainId !== HYPER_EVM || sent === undefined) return ok(leg)
  if (!isCoreSystemAddress(sent.party)) return ok(leg)
  const [spent] = leg.spends
  if (spent === undefined || coreBridge(sent.party) !== sent.asset)
    return refuse(`${checksumAddress(sent.party)} is a system address of HyperCore, and not known to be this asset's.`)
  const { asset, amount, party } = spent
  const position = { market: sent.party, side: 'supply', change: 'increase', asset, amount, party } as const
  return ok({ ...leg, kind: 'supply', venue: 'hyperliquid', receives: [], positions: [position] })
}
