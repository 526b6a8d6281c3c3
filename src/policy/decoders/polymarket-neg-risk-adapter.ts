import type { Address } from '../../lib/address.ts'
import type { Hex } from '../../lib/hash.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { POLYMARKET_NEG_RISK_COLLATERAL } from '../../registry/index.ts'
import { abiFunction, address, array, bytes32, callFunction, functionTable, uint } from '../calldata.ts'
import type { Leg } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import { type Moved, mergeLeg, redeemLeg, splitLeg, wholeMarket } from '../polymarket-positions.ts'

const asset = POLYMARKET_NEG_RISK_COLLATERAL
const named = [address, bytes32, bytes32, array(uint(256)), uint(256)] as const
const OUTCOMES = 2

// Source: Polymarket's neg-risk-ctf-adapter, `NegRiskAdapter`.
const functions = functionTable<Call, Leg>([
  abiFunction('splitPosition', [bytes32, uint(256)], ([marketId, amount], call) =>
    ok(splitLeg({ asset, marketId, amount }, call)),
  ),
  abiFunction('splitPosition', named, ([...args], call) => moved(args, (whole) => splitLeg(whole, call))),
  abiFunction('mergePositions', [bytes32, uint(256)], ([marketId, amount], call) =>
    ok(mergeLeg({ asset, marketId, amount }, call)),
  ),
  abiFunction('mergePositions', named, ([...args], call) => moved(args, (whole) => mergeLeg(whole, call))),
  abiFunction('redeemPositions', [bytes32, array(uint(256))], ([marketId, amounts], call) => {
    if (amounts.length !== OUTCOMES) return refuse('a market has two outcomes')
    const amount = amounts.reduce((sum, shares) => sum + shares, 0n)
    return ok(redeemLeg({ asset, marketId, amount }, call))
  }),
])

type Named = readonly [collateral: Address, parent: Hex, marketId: Hex, sets: readonly bigint[], amount: bigint]

/** The longer forms name what the contract takes no notice of, but for the token: others are refused there. */
function moved([collateral, parent, marketId, sets, amount]: Named, leg: (whole: Moved) => Leg): Result<Leg> {
  if (collateral !== asset) return refuse(`the contract takes ${asset} alone`)
  const whole = wholeMarket(parent, sets)
  return whole.ok ? ok(leg({ asset, marketId, amount })) : whole
}

/** The contract for markets that exclude each other: splits and merges as the conditional tokens do, for its own wrapped dollars. */
export const polymarketNegRiskAdapter = defineDecoder({
  kind: 'polymarket-neg-risk-adapter',
  decode(call) {
    if (call.value > 0n) return refuse('NegRiskAdapter takes no native value: "value" must be 0.')
    const result = callFunction(functions, call.data, call)
    return result.ok ? ok({ legs: [result.value.value] }) : refuse(`NegRiskAdapter: ${result.reason}.`)
  },
})
