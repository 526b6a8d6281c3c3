import { ok, refuse } from '../../lib/result.ts'
import { lendingPoolAt } from '../../registry/index.ts'
import { MAX_TRAILING_BYTES } from '../calldata.ts'
import { defineDecoder } from '../decoder.ts'
import { callPool } from './aave-pool/functions.ts'

/**
 * Pools of Aave v3: deposits, loans and what secures them. The pool ignores bytes behind the arguments of its functions.
 */
export const aavePool = defineDecoder({
  kind: 'aave-pool',
  decode({ chainId, wallet, to, value, data }) {
    const pool = lendingPoolAt(chainId, to)
    if (pool === undefined) return refuse(`${to} is no pool of Aave that the registry knows on chain ${chainId}.`)
    if (value > 0n)
      return refuse('A pool of Aave takes no native value: "value" must be 0. Native coin goes through its gateway.')
    const legs = callPool(data, { pool, wallet, depth: 0 }, MAX_TRAILING_BYTES)
    if (!legs.ok) return refuse(`Aave pool: ${legs.reason}.`)
    const touches = legs.value.value.flatMap(({ setting }) => setting?.asset ?? [])
    return ok({ legs: legs.value.value, touches, trailingBytes: legs.value.trailing })
  },
})
