import { ok, refuse } from '../../lib/result.ts'
import { callFunction, functionTable } from '../calldata.ts'
import type { Leg } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import { setApprovalForAll } from '../polymarket-positions.ts'
import { REFUSED_TOKEN_FUNCTIONS } from '../token-authorizations.ts'

const functions = functionTable<Call, Leg>([setApprovalForAll])

/** The contract that keeps the positions of Polymarket's second protocol. What it lets be done is letting others move them. */
export const polymarketPositionManager = defineDecoder({
  kind: 'polymarket-position-manager',
  decode(call) {
    const refused = REFUSED_TOKEN_FUNCTIONS.get(call.data.slice(0, 10))
    if (refused !== undefined) return refuse(`PositionManager: ${refused}.`)
    if (call.value > 0n) return refuse('PositionManager takes no native value: "value" must be 0.')
    const result = callFunction(functions, call.data, call)
    return result.ok ? ok({ legs: [result.value.value] }) : refuse(`PositionManager: ${result.reason}.`)
  },
})
