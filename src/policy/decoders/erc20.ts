import { ok, refuse } from '../../lib/result.ts'
import { callFunction, functionTable, selectorOf } from '../calldata.ts'
import type { Leg } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import { allowanceFunctions, tokenFunctions } from '../token-functions.ts'

const functions = functionTable<Call, Leg>([...tokenFunctions, ...allowanceFunctions])

/**
 * Transfers and approvals of tokens. It claims the calls with an ERC-20 selector on contracts that the registry does not
 * know; whether the target is a token is then a question of its identity. No trailing bytes: an unknown contract may read them.
 */
export const erc20 = defineDecoder({
  kind: 'erc20',
  decode(call) {
    const selector = selectorOf(call.data)
    if (selector === null || !functions.has(selector))
      return refuse(
        `${call.to} is no contract that countersign knows on chain ${call.chainId} (function ${selector ?? call.data}).`,
      )
    if (call.value > 0n) return refuse(`${selector} of ${call.to} takes no native value: "value" must be 0.`)
    const result = callFunction(functions, call.data, call)
    return result.ok ? ok({ legs: [result.value.value] }) : refuse(`ERC-20 call of ${call.to}: ${result.reason}.`)
  },
})
