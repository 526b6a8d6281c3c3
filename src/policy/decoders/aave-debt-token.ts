import type { Address } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { abiFunction, address, bytes32, callFunction, functionTable, uint } from '../calldata.ts'
import { deadlineOf } from '../deadline.ts'
import type { Leg } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import { grantLeg } from '../grant-leg.ts'

const VENUE = 'aave'

// Source: ICreditDelegationToken. A debt cannot be transferred, and nobody is approved to.
const functions = functionTable<Call, Leg>([
  abiFunction('approveDelegation', [address, uint(256)], ([delegatee, amount], call) =>
    ok(delegation(call, delegatee, amount)),
  ),
  abiFunction(
    'delegationWithSig',
    [address, address, uint(256), uint(256), uint(8), bytes32, bytes32],
    ([delegator, delegatee, amount, deadline], call): Result<Leg> =>
      delegator === call.wallet
        ? ok(delegation(call, delegatee, amount, deadlineOf(deadline)))
        : refuse(`the signature is of ${delegator}, not of the wallet`),
  ),
])

/**
 * Debt tokens of Aave v3: who may borrow an asset so that the wallet owes it. It is a grant of the debt token, which counts
 * what is owed in the asset's own unit.
 */
export const aaveDebtToken = defineDecoder({
  kind: 'aave-debt-token',
  decode(call) {
    if (call.value > 0n) return refuse('A debt token takes no native value: "value" must be 0.')
    const result = callFunction(functions, call.data, call)
    return result.ok ? ok({ legs: [result.value.value] }) : refuse(`Aave debt token: ${result.reason}.`)
  },
})

function delegation({ to, wallet }: Call, spender: Address, amount: bigint, deadline: number | null = null): Leg {
  return grantLeg(VENUE, { asset: to, owner: wallet, spender, amount, expiresAt: null }, deadline)
}
