import { ok, refuse } from '../../lib/result.ts'
import { callFunction, functionTable, selectorOf } from '../calldata.ts'
import type { Leg } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import { bridged } from '../hyper-core.ts'
import { authorizationFunctions, REFUSED_TOKEN_FUNCTIONS } from '../token-authorizations.ts'
import { allowanceFunctions, tokenFunctions } from '../token-functions.ts'

const functions = functionTable<Call, Leg>([...tokenFunctions, ...allowanceFunctions, ...authorizationFunctions])

/**
 * Transfers, approvals and permits of tokens. It claims the calls with such a selector on contracts that the registry does
 * not know; whether the target is a token is then a question of its identity. No trailing bytes: an unknown contract may
 * read them.
 */
export const erc20 = defineDecoder({
  kind: 'erc20',
  decode(call) {
    const selector = selectorOf(call.data)
    const refused = selector === null ? undefined : REFUSED_TOKEN_FUNCTIONS.get(selector)
    if (refused !== undefined) return refuse(`${refused} (function ${selector} of ${call.to}).`)
    if (selector === null || !functions.has(selector))
      return refuse(
        `${call.to} is no contract that countersign knows on chain ${call.chainId} (function ${selector ?? call.data}).`,
      )
    if (call.value > 0n) return refuse(`${selector} of ${call.to} takes no native value: "value" must be 0.`)
    const result = callFunction(functions, call.data, call)
    if (!result.ok) return refuse(`ERC-20 call of ${call.to}: ${result.reason}.`)
    const leg = bridged(result.value.value, call.chainId)
    return leg.ok ? ok({ legs: [leg.value] }) : leg
  },
})
