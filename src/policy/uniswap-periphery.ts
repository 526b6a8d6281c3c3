import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import type { AmountRange } from './amount-range.ts'
import { type AbiFunction, abiFunction, address, bytes32, callFunction, type FunctionTable, uint } from './calldata.ts'
import { deadlineOf } from './deadline.ts'
import { grantLeg } from './grant-leg.ts'
import type { Step } from './router-step.ts'
import type { Route } from './uniswap-path.ts'

/** Whose call of a swap router it is, and how deep inside a batch. */
export type PeripheryContext = Readonly<{ wallet: Address; router: Address; depth: number }>

export type Steps = readonly Step[]

const MAX_DEPTH = 4
const FULL_BIPS = 10_000n
const MAX_FEE_BIPS = 100n
const MAX_UINT256 = (1n << 256n) - 1n

/** Token, two numbers and the signature, which no decoder reads: the token decides whose it is. */
const signedPermit = [address, uint(256), uint(256), uint(8), bytes32, bytes32] as const
type SignedPermit = readonly [Address, bigint, bigint, ...unknown[]]

/** How a sale is paid and guarded. `to` is whom the receiver means. */
export type Sale = Readonly<{
  amount: bigint | 'balance'
  min: bigint
  to: Address
  pools: 'v2' | 'v3'
  limited: boolean
}>

/** Exactly so much is sold; `balance` is all that the router holds. A price limit may end the sale before all is sold. */
export function sell({ sells, middle, buys }: Route, { amount, min, to, pools, limited }: Sale): Step {
  return {
    step: 'swap',
    payer: amount === 'balance' ? 'router' : 'wallet',
    sells: { asset: sells, amount, sold: limited ? 'up-to' : pools === 'v2' ? 'all' : 'while-liquid' },
    buys: { asset: buys, amount: { min, max: null }, checked: true },
    middle,
    custody: pools === 'v3',
    prepaid: undefined,
    to,
  }
}

/** What is bought, and for how much at most. */
export type Purchase = Readonly<{ amount: AmountRange; max: bigint; to: Address; pools: 'v2' | 'v3' }>

/** So much is bought, for at most so much. */
export function buy({ sells, middle, buys }: Route, { amount, max, to, pools }: Purchase): Step {
  return {
    step: 'swap',
    payer: 'wallet',
    sells: { asset: sells, amount: max, sold: 'up-to' },
    buys: { asset: buys, amount, checked: pools === 'v3' },
    middle,
    custody: false,
    prepaid: undefined,
    to,
  }
}

/** The step of a route, where there is one. */
export function on(route: Result<Route>, step: (route: Route) => Step): Result<Steps> {
  return route.ok ? ok([step(route.value)]) : route
}

/** Pays out all that the router holds of a token. */
export function sweep(token: Address, min: bigint, to: Address): Result<Steps> {
  return ok([{ step: 'pay', asset: token, amount: 'balance', min, to }])
}

/** The same, less a fee for somebody. */
export function sweepWithFee(token: Address, min: bigint, to: Address, bips: bigint, feeTo: Address): Result<Steps> {
  if (!isFee(bips)) return refuse(noFee(bips))
  return ok([
    { step: 'require', asset: token, min },
    { step: 'share', asset: token, share: bips, whole: FULL_BIPS, to: feeTo },
    { step: 'pay', asset: token, amount: 'balance', min: 0n, to },
  ])
}

/** Unwraps all that the router holds, less a fee for somebody. */
export function unwrapWithFee(min: bigint, to: Address, bips: bigint, feeTo: Address): Result<Steps> {
  if (!isFee(bips)) return refuse(noFee(bips))
  return ok([{ step: 'unwrap', min, to, fee: { share: bips, whole: FULL_BIPS, to: feeTo } }])
}

function isFee(bips: bigint): boolean {
  return bips > 0n && bips <= MAX_FEE_BIPS
}

function noFee(bips: bigint): string {
  return `the router takes no fee of ${bips} basis points`
}

function grant(
  asset: Address,
  amount: bigint,
  deadline: number | null,
  { wallet, router }: PeripheryContext,
): Result<Steps> {
  const right = { asset, owner: wallet, spender: router, amount, expiresAt: null }
  return ok([{ step: 'grant', leg: grantLeg('erc20', right, deadline) }])
}

/** A right of the router itself to spend a token of the wallet, signed in the call. */
function permit([asset, amount, until]: SignedPermit, context: PeripheryContext): Result<Steps> {
  return grant(asset, amount, deadlineOf(until), context)
}

/** The same in Dai's form: for everything, with a nonce before the expiry, which 0 leaves open. */
function permitAll([asset, , expiry]: SignedPermit, context: PeripheryContext): Result<Steps> {
  return grant(asset, MAX_UINT256, expiry === 0n ? null : deadlineOf(expiry), context)
}

/** Calls that the router makes to itself, one after the other. */
export function batch(
  calls: readonly Hex[],
  context: PeripheryContext,
  table: FunctionTable<PeripheryContext, Steps>,
): Result<Steps> {
  if (context.depth >= MAX_DEPTH) return refuse(`batches within batches are decoded ${MAX_DEPTH} deep`)
  const steps: Step[] = []
  for (const [i, data] of calls.entries()) {
    const result = callFunction(table, data, { ...context, depth: context.depth + 1 })
    if (!result.ok) return refuse(`call ${i}: ${result.reason}`)
    steps.push(...result.value.value)
  }
  return ok(steps)
}

/** Payments and permits that both swap routers have. Source: v3-periphery's PeripheryPayments, …WithFee and SelfPermit. */
export const peripheryFunctions: readonly AbiFunction<PeripheryContext, Steps>[] = [
  abiFunction('unwrapWETH9', [uint(256), address], ([min, to]) => ok([{ step: 'unwrap', min, to }])),
  abiFunction('unwrapWETH9WithFee', [uint(256), address, uint(256), address], ([min, to, bips, feeTo]) =>
    unwrapWithFee(min, to, bips, feeTo),
  ),
  abiFunction('sweepToken', [address, uint(256), address], ([token, min, to]) => sweep(token, min, to)),
  abiFunction('sweepTokenWithFee', [address, uint(256), address, uint(256), address], ([token, min, to, bips, feeTo]) =>
    sweepWithFee(token, min, to, bips, feeTo),
  ),
  abiFunction('refundETH', [], (_, { wallet }) =>
    ok([{ step: 'pay', asset: 'native', amount: 'balance', min: 0n, to: wallet }]),
  ),
  abiFunction('selfPermit', signedPermit, permit),
  abiFunction('selfPermitIfNecessary', signedPermit, permit),
  abiFunction('selfPermitAllowed', signedPermit, permitAll),
  abiFunction('selfPermitAllowedIfNecessary', signedPermit, permitAll),
]
