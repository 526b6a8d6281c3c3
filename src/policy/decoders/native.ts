import { ok, refuse } from '../../lib/result.ts'
import { defineDecoder } from '../decoder.ts'
import { bridged } from '../hyper-core.ts'
import { transferLeg } from '../token-authorizations.ts'

/** A plain transfer of the chain's own coin. */
export const native = defineDecoder({
  kind: 'native',
  decode({ chainId, wallet, to, value, data }) {
    if (data !== '0x') return refuse('A transfer of native coin carries no calldata.')
    const leg = bridged(transferLeg('native', { asset: 'native', from: wallet, to, amount: value }), chainId)
    return leg.ok ? ok({ legs: [leg.value] }) : leg
  },
})
