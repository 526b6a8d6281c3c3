import type { Address } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { type LendingPool, lendingPools, type Reserve, wrappedNative } from '../../registry/index.ts'
import { abiFunction, address, bytes32, callFunction, functionTable, MAX_TRAILING_BYTES, uint } from '../calldata.ts'
import { deadlineOf } from '../deadline.ts'
import type { Leg } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import { grantLeg } from '../grant-leg.ts'
import { ALL, borrowLeg, type LendingAccount, repayLeg, someAmount, supplyLeg, withdrawLeg } from '../lending-legs.ts'

/** A call on the gateway of a pool. `wrapped` is the asset that the pool keeps native coin as. */
type GatewayCall = Call & Readonly<{ pool: LendingPool; wrapped: Reserve }>

type Legs = readonly [Leg, ...Leg[]]

const VENUE = 'aave'
const VARIABLE = 2n

// Source: WrappedTokenGatewayV3. Older ones take a rate mode, newer ones do not; the pool they name is the one they have.
const functions = functionTable<GatewayCall, Legs>([
  abiFunction('depositETH', [address, address, uint(16)], ([pool, onBehalfOf], call) =>
    checked(call, { pool, amount: call.value }, () => [
      supplyLeg(accountOf(call, onBehalfOf), call.value, call.wallet, 'native'),
    ]),
  ),
  abiFunction('withdrawETH', [address, uint(256), address], ([pool, amount, to], call) =>
    unpaid(call, withdrawETH(call, { pool, amount, to })),
  ),
  abiFunction(
    'withdrawETHWithPermit',
    [address, uint(256), address, uint(256), uint(8), bytes32, bytes32],
    ([pool, amount, to, deadline], call) => {
      const rest = unpaid(call, withdrawETH(call, { pool, amount, to }))
      return rest.ok ? ok([permitLeg(call, amount, deadline), ...rest.value]) : rest
    },
  ),
  abiFunction('borrowETH', [address, uint(256), uint(16)], ([pool, amount], call) =>
    unpaid(call, borrowETH(call, pool, amount)),
  ),
  abiFunction('borrowETH', [address, uint(256), uint(256), uint(16)], ([pool, amount, mode], call) =>
    inVariable(mode, unpaid(call, borrowETH(call, pool, amount))),
  ),
  abiFunction('repayETH', [address, uint(256), address], ([pool, amount, onBehalfOf], call) =>
    repayETH(call, { pool, amount, onBehalfOf }),
  ),
  abiFunction('repayETH', [address, uint(256), uint(256), address], ([pool, amount, mode, onBehalfOf], call) =>
    inVariable(mode, repayETH(call, { pool, amount, onBehalfOf })),
  ),
])

/**
 * Gateways of Aave v3, which wrap native coin on its way into a pool and unwrap it on its way out. They take deposits by
 * an allowance of the aToken, and borrow by a delegation of the debt token, both of whoever calls them.
 */
export const aaveGateway = defineDecoder({
  kind: 'aave-gateway',
  decode(call) {
    const pool = lendingPools(call.chainId).find(({ gateway }) => gateway === call.to)
    if (pool === undefined)
      return refuse(`${call.to} is no gateway of Aave that the registry knows on chain ${call.chainId}.`)
    // A test market wraps in a coin of its own, and one market does not take the coin at all.
    const wrapped = pool.reserves.find(({ asset }) => asset === wrappedNative(call.chainId))
    if (wrapped === undefined) return refuse(`${pool.market} keeps no wrapped native coin that the registry knows.`)
    const legs = callFunction(functions, call.data, { ...call, pool, wrapped }, MAX_TRAILING_BYTES)
    if (!legs.ok) return refuse(`Aave gateway: ${legs.reason}.`)
    return ok({ legs: legs.value.value, trailingBytes: legs.value.trailing })
  },
})

function accountOf({ pool, wrapped }: GatewayCall, party: Address): LendingAccount {
  return { venue: VENUE, market: pool.pool, asset: wrapped.asset, party }
}

/** Gateways of old sent to whatever pool they were given. */
function checked(
  { pool: own }: GatewayCall,
  { pool, amount }: Readonly<{ pool: Address; amount: bigint }>,
  legs: () => Legs,
): Result<Legs> {
  if (pool !== own.pool) return refuse(`its pool is ${own.pool}, not ${pool}`)
  const some = someAmount(amount)
  return some.ok ? ok(legs()) : some
}

function withdrawETH(
  call: GatewayCall,
  { pool, amount, to }: Readonly<{ pool: Address; amount: bigint; to: Address }>,
): Result<Legs> {
  return checked(call, { pool, amount }, () => [
    withdrawLeg(accountOf(call, call.wallet), amount === ALL ? null : amount, to, 'native'),
  ])
}

function borrowETH(call: GatewayCall, pool: Address, amount: bigint): Result<Legs> {
  return checked(call, { pool, amount }, () => [borrowLeg(accountOf(call, call.wallet), amount, call.wallet, 'native')])
}

/** What comes with the call beyond the amount or the debt goes back to the wallet. */
function repayETH(
  call: GatewayCall,
  { pool, amount, onBehalfOf }: Readonly<{ pool: Address; amount: bigint; onBehalfOf: Address }>,
): Result<Legs> {
  const most = amount < call.value ? amount : call.value
  return checked(call, { pool, amount: most }, () => [
    repayLeg(accountOf(call, onBehalfOf), most, call.wallet, { paid: 'native' }),
  ])
}

/** The right over the wallet's deposit that the gateway is signed. */
function permitLeg({ wrapped, wallet, to }: GatewayCall, amount: bigint, deadline: bigint): Leg {
  const grant = { asset: wrapped.aToken, owner: wallet, spender: to, amount, expiresAt: null }
  return grantLeg(VENUE, grant, deadlineOf(deadline))
}

function inVariable(mode: bigint, legs: Result<Legs>): Result<Legs> {
  return mode === VARIABLE ? legs : refuse(`rate mode ${mode} does not exist: 2, the variable rate, is the only one`)
}

function unpaid(call: Call, legs: Result<Legs>): Result<Legs> {
  return call.value === 0n ? legs : refuse('it takes no native value: "value" must be 0')
}
