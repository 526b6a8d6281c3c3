import { ok, refuse } from '../../lib/result.ts'
import { abiFunction, address, array, bytes32, callFunction, functionTable, uint } from '../calldata.ts'
import type { Leg } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import { mergeLeg, redeemLeg, setApprovalForAll, splitLeg, wholeMarket } from '../polymarket-positions.ts'
import { REFUSED_TOKEN_FUNCTIONS } from '../token-authorizations.ts'

const split = [address, bytes32, bytes32, array(uint(256)), uint(256)] as const

// Source: Gnosis' conditional-tokens-contracts, `ConditionalTokens`.
const functions = functionTable<Call, Leg>([
  abiFunction('splitPosition', split, ([asset, parent, marketId, sets, amount], call) => {
    const whole = wholeMarket(parent, sets)
    return whole.ok ? ok(splitLeg({ asset, marketId, amount }, call)) : whole
  }),
  abiFunction('mergePositions', split, ([asset, parent, marketId, sets, amount], call) => {
    const whole = wholeMarket(parent, sets)
    return whole.ok ? ok(mergeLeg({ asset, marketId, amount }, call)) : whole
  }),
  abiFunction(
    'redeemPositions',
    [address, bytes32, bytes32, array(uint(256))],
    ([asset, parent, marketId, sets], call) => {
      if (sets.length === 0) return refuse('the list is empty')
      const own = wholeMarket(parent, [1n, 2n])
      return own.ok ? ok(redeemLeg({ asset, marketId, amount: null }, call)) : own
    },
  ),
  setApprovalForAll,
])

/** The contract that keeps the positions of Polymarket's first protocol: dollars become both outcomes of a market, and back. */
export const polymarketCtf = defineDecoder({
  kind: 'polymarket-ctf',
  decode(call) {
    const refused = REFUSED_TOKEN_FUNCTIONS.get(call.data.slice(0, 10))
    if (refused !== undefined) return refuse(`Conditional tokens: ${refused}.`)
    if (call.value > 0n) return refuse('Conditional tokens take no native value: "value" must be 0.')
    const result = callFunction(functions, call.data, call)
    return result.ok ? ok({ legs: [result.value.value] }) : refuse(`Conditional tokens: ${result.reason}.`)
  },
})
