import { ok, refuse } from '../../lib/result.ts'
import { defineDecoder } from '../decoder.ts'

/** A plain transfer of the chain's own coin. */
export const native = defineDecoder({
  kind: 'native',
  decode({ wallet, to, value, data }) {
    if (data !== '0x') return refuse('A transfer of native coin carries no calldata.')
    return ok({
      legs: [
        {
          kind: 'transfer',
          venue: 'native',
          spends: [{ asset: 'native', amount: value, bound: 'exact', party: wallet }],
          receives: [{ asset: 'native', amount: value, bound: 'exact', party: to }],
          grants: [],
          deadline: null,
        },
      ],
    })
  },
})
