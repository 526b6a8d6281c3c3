import { type Address, ZERO_ADDRESS } from '../../../lib/address.ts'
import { ok, type Result, refuse } from '../../../lib/result.ts'
import { address, bool, bytes32, uint } from '../../calldata.ts'
import { deadlineOf } from '../../deadline.ts'
import type { Asset, Flow, Leg } from '../../decoded-action.ts'
import { isVouchedFor } from '../../foreign-code.ts'
import { grantLeg } from '../../grant-leg.ts'
import { v2Pair } from '../../uniswap-pair.ts'
import { INTO_WRAPPED, type Outcome, payable, type RouterCall, type RouterFunction, unpayable } from './router-call.ts'

const MAX_UINT256 = (1n << 256n) - 1n

/** The pool of two tokens, which is also the token of its shares. */
function poolOf(a: Address, b: Address, { chainId }: RouterCall): Result<Address> {
  if (a === b) return refuse('a pool has two tokens')
  if (a === ZERO_ADDRESS || b === ZERO_ADDRESS) return refuse('the zero address is no token')
  const pool = v2Pair(chainId, a, b)
  return pool === undefined ? refuse(`no pools of version 2 are known on chain ${chainId}`) : ok(pool)
}

type Side = Readonly<{ token: Address; native: boolean; amount: bigint }>

const assetOf = ({ token, native }: Side): Asset => (native ? 'native' : token)

/**
 * Tokens for shares of a pool. How many shares, nothing guarantees: the least amounts of a call are of what it pays in,
 * and only make it fail.
 */
function add(sides: readonly [Side, Side], to: Address, deadline: bigint, call: RouterCall): Result<Outcome> {
  const pool = poolOf(sides[0].token, sides[1].token, call)
  if (!pool.ok) return pool
  if (sides.some(({ amount }) => amount === 0n)) return refuse('it adds nothing')
  const spends = sides.map(
    (side): Flow => ({ asset: assetOf(side), amount: side.amount, bound: 'max', party: call.wallet }),
  )
  const shares: Flow = { asset: pool.value, amount: 0n, bound: 'min', party: to }
  return ok({ legs: [leg('supply', spends, [shares], deadline)], touches: [pool.value] })
}

type Removal = Readonly<{ shares: bigint; to: Address; deadline: bigint; approval: bigint | null }>

/** Shares of a pool for tokens, with a signed approval of the shares where there is one. */
function remove(sides: readonly [Side, Side], removal: Removal, call: RouterCall): Result<Outcome> {
  const { shares, to, deadline, approval } = removal
  const { wallet, router, wrapped } = call
  const pool = poolOf(sides[0].token, sides[1].token, call)
  if (!pool.ok) return pool
  if (shares === 0n) return refuse('it removes nothing')
  if (to === wrapped && sides.some(({ native }) => native)) return refuse(INTO_WRAPPED)
  const spends: readonly Flow[] = [{ asset: pool.value, amount: shares, bound: 'exact', party: wallet }]
  const receives = sides.map((side): Flow => ({ asset: assetOf(side), amount: side.amount, bound: 'min', party: to }))
  const removed = leg('withdraw', spends, receives, deadline)
  const right = { asset: pool.value, owner: wallet, spender: router, expiresAt: null }
  const legs: Outcome['legs'] =
    approval === null ? [removed] : [grantLeg('erc20', { ...right, amount: approval }, deadlineOf(deadline)), removed]
  return ok({ legs, touches: [pool.value] })
}

function leg(kind: Leg['kind'], spends: readonly Flow[], receives: readonly Flow[], deadline: bigint): Leg {
  return { kind, venue: 'uniswap', spends, receives, grants: [], deadline: deadlineOf(deadline) }
}

const ofPair = [address, address, uint(256), uint(256), uint(256), address, uint(256)] as const
type OfPair = readonly [Address, Address, bigint, bigint, bigint, Address, bigint, ...unknown[]]
const ofNative = [address, uint(256), uint(256), uint(256), address, uint(256)] as const
type OfNative = readonly [Address, bigint, bigint, bigint, Address, bigint, ...unknown[]]
/** Whether the approval is of everything, and the signature, which the pool judges. */
const signature = [bool, uint(8), bytes32, bytes32] as const

function removeOfPair([a, b, shares, minA, minB, to, deadline]: OfPair, approval: bigint | null, call: RouterCall) {
  const sides = [tokenSide(a, minA), tokenSide(b, minB)] as const
  return remove(sides, { shares, to, deadline, approval }, call)
}

function removeOfNative(
  [token, shares, min, minNative, to, deadline]: OfNative,
  approval: bigint | null,
  call: RouterCall,
) {
  const sides = [tokenSide(token, min), nativeSide(minNative, call)] as const
  return remove(sides, { shares, to, deadline, approval }, call)
}

/** The least amount of the token is one of what the pool pays out; a token that takes a fee passes on less of it. */
function removeWithFee(
  [token, shares, min, minNative, to, deadline]: OfNative,
  approval: bigint | null,
  call: RouterCall,
) {
  const sides = [tokenSide(token, isVouchedFor(token, call) ? min : 0n), nativeSide(minNative, call)] as const
  return remove(sides, { shares, to, deadline, approval }, call)
}

function tokenSide(token: Address, amount: bigint): Side {
  return { token, native: false, amount }
}

function nativeSide(amount: bigint, { wrapped }: RouterCall): Side {
  return { token: wrapped, native: true, amount }
}

/** Additions and removals of liquidity. Source: v2-periphery, UniswapV2Router02. */
export const liquidityFunctions: readonly RouterFunction[] = [
  unpayable(
    'addLiquidity',
    [address, address, uint(256), uint(256), uint(256), uint(256), address, uint(256)],
    ([a, b, amountA, amountB, , , to, deadline], call) =>
      add([tokenSide(a, amountA), tokenSide(b, amountB)], to, deadline, call),
  ),
  payable(
    'addLiquidityETH',
    [address, uint(256), uint(256), uint(256), address, uint(256)],
    ([token, amount, , , to, deadline], call) =>
      add([tokenSide(token, amount), nativeSide(call.value, call)], to, deadline, call),
  ),
  unpayable('removeLiquidity', ofPair, (values, call) => removeOfPair(values, null, call)),
  unpayable('removeLiquidityWithPermit', [...ofPair, ...signature], (values, call) =>
    removeOfPair(values, values[7] ? MAX_UINT256 : values[2], call),
  ),
  unpayable('removeLiquidityETH', ofNative, (values, call) => removeOfNative(values, null, call)),
  unpayable('removeLiquidityETHWithPermit', [...ofNative, ...signature], (values, call) =>
    removeOfNative(values, values[6] ? MAX_UINT256 : values[1], call),
  ),
  unpayable('removeLiquidityETHSupportingFeeOnTransferTokens', ofNative, (values, call) =>
    removeWithFee(values, null, call),
  ),
  unpayable('removeLiquidityETHWithPermitSupportingFeeOnTransferTokens', [...ofNative, ...signature], (values, call) =>
    removeWithFee(values, values[6] ? MAX_UINT256 : values[1], call),
  ),
]
