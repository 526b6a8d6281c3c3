import type { Address } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { depositsOf } from '../../registry/index.ts'
import { abiFunction, address, callFunction, functionTable, uint } from '../calldata.ts'
import type { Leg } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import { someAmount, transferPositionLeg } from '../lending-legs.ts'
import { authorizationFunctions } from '../token-authorizations.ts'
import { allowanceFunctions, tokenFunctions } from '../token-functions.ts'

/** A call on the aToken of an asset of a pool. */
type ATokenCall = Call & Readonly<{ pool: Address; asset: Address }>

const functions = functionTable<ATokenCall, Leg>([
  ...tokenFunctions,
  ...allowanceFunctions,
  ...authorizationFunctions,
  // What is sent is a deposit: it secures the sender's debts no more.
  abiFunction('transfer', [address, uint(256)], ([to, amount], call) => moved(call, call.wallet, to, amount)),
  abiFunction('transferFrom', [address, address, uint(256)], ([from, to, amount], call) =>
    moved(call, from, to, amount),
  ),
])

/** aTokens of Aave v3: deposits as tokens, one for one. Rights to spend them are those of any token. */
export const aaveAToken = defineDecoder({
  kind: 'aave-a-token',
  decode(call) {
    const deposits = depositsOf(call.chainId, call.to)
    if (deposits === undefined) return refuse(`${call.to} is no aToken that the registry knows.`)
    if (call.value > 0n) return refuse('An aToken takes no native value: "value" must be 0.')
    const result = callFunction(functions, call.data, { ...call, ...deposits })
    return result.ok ? ok({ legs: [result.value.value] }) : refuse(`Aave aToken: ${result.reason}.`)
  },
})

function moved({ pool, asset }: ATokenCall, from: Address, to: Address, amount: bigint): Result<Leg> {
  const some = someAmount(amount)
  return some.ok ? ok(transferPositionLeg({ venue: 'aave', market: pool, asset, party: from }, amount, to)) : some
}
