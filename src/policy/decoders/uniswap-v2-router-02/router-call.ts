import type { Address } from '../../../lib/address.ts'
import { type Result, refuse } from '../../../lib/result.ts'
import { type AbiFunction, type AbiTypes, abiFunction } from '../../calldata.ts'
import type { Leg } from '../../decoded-action.ts'

/** Whose call it is, of which router, and the value that comes with it. */
export type RouterCall = Readonly<{
  chainId: number
  wallet: Address
  router: Address
  /** The wrapped form of the chain's own coin. */
  wrapped: Address
  /** Wei. */
  value: bigint
}>

/** What a call comes to. */
export type Outcome = Readonly<{ legs: readonly [Leg, ...Leg[]]; touches: readonly Address[] }>

/** A function of the router. */
export type RouterFunction = AbiFunction<RouterCall, Outcome>

/** Why native coin is not paid to the wrapped coin's contract: it gives it back to the router, in wrapped form. */
export const INTO_WRAPPED = 'native coin paid to the wrapped coin comes back to the router'

/** A function that takes the chain's own coin. */
export function payable<A extends readonly unknown[]>(
  name: string,
  types: AbiTypes<A>,
  run: (values: A, call: RouterCall) => Result<Outcome>,
): RouterFunction {
  return abiFunction<A, RouterCall, Outcome>(name, types, run)
}

/** A function that does not: it reverts where value comes along. */
export function unpayable<A extends readonly unknown[]>(
  name: string,
  types: AbiTypes<A>,
  run: (values: A, call: RouterCall) => Result<Outcome>,
): RouterFunction {
  return abiFunction<A, RouterCall, Outcome>(name, types, (values, call) =>
    call.value === 0n ? run(values, call) : refuse('it takes no native value: "value" must be 0'),
  )
}
