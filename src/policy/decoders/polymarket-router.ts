import { ok, refuse } from '../../lib/result.ts'
import { POLYMARKET_COLLATERAL } from '../../registry/index.ts'
import { abiFunction, bytes31, callFunction, functionTable, uint } from '../calldata.ts'
import type { Leg } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import { mergeLeg, redeemLeg, splitLeg } from '../polymarket-positions.ts'

const asset = POLYMARKET_COLLATERAL
const YES = 0n
const NO = 1n

// Source: Polymarket's ts-sdk, `abis.ts`; docs.polymarket.com, Protocol V2 migration.
const functions = functionTable<Call, Leg>([
  abiFunction('split', [bytes31, uint(256)], ([marketId, amount], call) =>
    ok(splitLeg({ asset, marketId, amount }, call)),
  ),
  abiFunction('merge', [bytes31, uint(256)], ([marketId, amount], call) =>
    ok(mergeLeg({ asset, marketId, amount }, call)),
  ),
  abiFunction('redeem', [bytes31, uint(256), uint(256)], ([marketId, outcome, amount], call) => {
    if (outcome !== YES && outcome !== NO) return refuse('a market has two outcomes, 0 and 1')
    return ok(redeemLeg({ asset, marketId, amount }, call))
  }),
])

/** The way in and out of positions of Polymarket's second protocol. */
export const polymarketRouter = defineDecoder({
  kind: 'polymarket-router',
  decode(call) {
    if (call.value > 0n) return refuse('The router takes no native value: "value" must be 0.')
    const result = callFunction(functions, call.data, call)
    return result.ok ? ok({ legs: [result.value.value] }) : refuse(`Polymarket's router: ${result.reason}.`)
  },
})
