import type { Address } from '../../../lib/address.ts'
import { ok, type Result, refuse } from '../../../lib/result.ts'
import type { LendingPool } from '../../../registry/index.ts'
import { deadlineOf } from '../../deadline.ts'
import type { Leg } from '../../decoded-action.ts'
import { grantLeg } from '../../grant-leg.ts'
import {
  ALL,
  borrowLeg,
  type LendingAccount,
  repayFromDepositLeg,
  repayLeg,
  someAmount,
  supplyLeg,
  withdrawLeg,
} from '../../lending-legs.ts'
import { configureLeg } from '../../token-authorizations.ts'

/** Who calls which pool. `depth` counts the batches around the call. */
export type PoolCall = Readonly<{ pool: LendingPool; wallet: Address; depth: number }>

export type Legs = readonly [Leg, ...Leg[]]

/** The venue of Aave's contracts. */
export const AAVE = 'aave'
/** The only rate that pools have since Aave 3.2: variable. */
const VARIABLE = 2n

/** The account of somebody in a pool, in one of its assets. */
function accountOf({ pool }: PoolCall, asset: Address, party: Address): LendingAccount {
  return { venue: AAVE, market: pool.pool, asset, party }
}

/** `supply`: exactly the amount leaves the wallet, into the account of `onBehalfOf`. */
export function supply(call: PoolCall, asset: Address, amount: bigint, onBehalfOf: Address): Result<Legs> {
  const some = someAmount(amount)
  return some.ok ? ok([supplyLeg(accountOf(call, asset, onBehalfOf), amount, call.wallet)]) : some
}

/** `withdraw`: out of the wallet's own deposit; the largest number is all of it. */
export function withdraw(call: PoolCall, asset: Address, amount: bigint, to: Address): Result<Legs> {
  const some = someAmount(amount)
  return some.ok ? ok([withdrawLeg(accountOf(call, asset, call.wallet), amount === ALL ? null : amount, to)]) : some
}

/** `borrow`: the loan goes to the wallet, whoever owes it. */
export function borrow(
  call: PoolCall,
  { asset, amount, mode, onBehalfOf }: Readonly<{ asset: Address; amount: bigint; mode: bigint; onBehalfOf: Address }>,
): Result<Legs> {
  const fault = modeFault(mode)
  if (fault !== null) return refuse(fault)
  const some = someAmount(amount)
  return some.ok ? ok([borrowLeg(accountOf(call, asset, onBehalfOf), amount, call.wallet)]) : some
}

/** `repay`: at most the amount leaves the wallet. */
export function repay(
  call: PoolCall,
  { asset, amount, mode, onBehalfOf }: Readonly<{ asset: Address; amount: bigint; mode: bigint; onBehalfOf: Address }>,
): Result<Legs> {
  const fault = modeFault(mode)
  if (fault !== null) return refuse(fault)
  if (amount === ALL)
    return refuse(
      'it sets no limit on what is paid: an amount somewhat above the debt repays all of it, and no more than is owed is taken',
    )
  const some = someAmount(amount)
  return some.ok ? ok([repayLeg(accountOf(call, asset, onBehalfOf), amount, call.wallet)]) : some
}

/** `repayWithATokens`: the wallet's debt out of its own deposit. */
export function repayWithATokens(call: PoolCall, asset: Address, amount: bigint, mode: bigint): Result<Legs> {
  const fault = modeFault(mode)
  if (fault !== null) return refuse(fault)
  const some = someAmount(amount)
  if (!some.ok) return some
  return ok([repayFromDepositLeg(accountOf(call, asset, call.wallet), amount === ALL ? null : amount)])
}

/** The wallet's signed permit for the pool, and what is done by it. A permit that was used before does not stop the rest. */
export function withPermit(
  { pool, wallet }: PoolCall,
  { asset, amount, deadline }: Readonly<{ asset: Address; amount: bigint; deadline: bigint }>,
  rest: Result<Legs>,
): Result<Legs> {
  if (!rest.ok) return rest
  const grant = { asset, owner: wallet, spender: pool.pool, amount, expiresAt: null }
  return ok([grantLeg(AAVE, grant, deadlineOf(deadline)), ...rest.value])
}

/** A setting of the wallet's own account: what secures its debts, how far, at which rate. */
export function configure(
  { pool }: PoolCall,
  name: 'collateral' | 'rate mode' | 'efficiency mode',
  value: string,
  asset: Address | null = null,
): Result<Legs> {
  return ok([{ ...configureLeg(AAVE), setting: { market: pool.pool, name, asset, value } }])
}

/** Whether an asset of the wallet secures its debts. */
export function useAsCollateral(call: PoolCall, asset: Address, use: boolean): Result<Legs> {
  return configure(call, 'collateral', use ? 'on' : 'off', asset)
}

function modeFault(mode: bigint): string | null {
  return mode === VARIABLE ? null : `rate mode ${mode} does not exist: 2, the variable rate, is the only one`
}
