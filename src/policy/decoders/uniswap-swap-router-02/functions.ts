import type { Address } from '../../../lib/address.ts'
import type { Hex } from '../../../lib/hash.ts'
import { ok, type Result, refuse } from '../../../lib/result.ts'
import { type AmountRange, exactly } from '../../amount-range.ts'
import {
  abiFunction,
  address,
  array,
  bytes,
  bytes32,
  callFunction,
  type FunctionTable,
  functionTable,
  tuple,
  uint,
} from '../../calldata.ts'
import { deadlineOf } from '../../deadline.ts'
import { grantLeg } from '../../grant-leg.ts'
import type { Step } from '../../router-step.ts'
import { type Route, tokenRoute, v3Route } from '../../uniswap-path.ts'

/** Whose call it is, and how deep inside a batch. */
export type SwapRouterContext = Readonly<{
  wallet: Address
  router: Address
  depth: number
}>

type Steps = readonly Step[]
type Pools = 'v2' | 'v3'

const MAX_DEPTH = 4
const SENDER: Address = '0x0000000000000000000000000000000000000001'
const ROUTER: Address = '0x0000000000000000000000000000000000000002'
const FULL_BIPS = 10_000n
const MAX_FEE_BIPS = 100n
const MAX_UINT256 = (1n << 256n) - 1n

/** Token, two numbers and the signature, which no decoder reads: the token decides whose it is. */
const signedPermit = [address, uint(256), uint(256), uint(8), bytes32, bytes32] as const
type SignedPermit = readonly [Address, bigint, bigint, ...unknown[]]

type Sale = Readonly<{ amount: bigint; min: bigint; to: Address; pools: Pools; limited: boolean }>

/** Exactly so much is sold; 0 stands for all that the router holds. A price limit may end the sale before all is sold. */
function sell(
  { sells, middle, buys }: Route,
  { amount, min, to, pools, limited }: Sale,
  context: SwapRouterContext,
): Step {
  return {
    step: 'swap',
    payer: amount === 0n ? 'router' : 'wallet',
    sells: {
      asset: sells,
      amount: amount === 0n ? 'balance' : amount,
      sold: limited ? 'up-to' : pools === 'v2' ? 'all' : 'while-liquid',
    },
    buys: { asset: buys, amount: { min, max: null }, checked: true },
    middle,
    custody: pools === 'v3',
    prepaid: undefined,
    to: recipient(to, context),
  }
}

type Purchase = Readonly<{ amount: AmountRange; max: bigint; to: Address; pools: Pools }>

/** So much is bought, for at most so much. */
function buy({ sells, middle, buys }: Route, { amount, max, to, pools }: Purchase, context: SwapRouterContext): Step {
  return {
    step: 'swap',
    payer: 'wallet',
    sells: { asset: sells, amount: max, sold: 'up-to' },
    buys: { asset: buys, amount, checked: pools === 'v3' },
    middle,
    custody: false,
    prepaid: undefined,
    to: recipient(to, context),
  }
}

function recipient(to: Address, { wallet, router }: SwapRouterContext): Address {
  if (to === SENDER) return wallet
  return to === ROUTER ? router : to
}

function on(route: Result<Route>, step: (route: Route) => Step): Result<Steps> {
  return route.ok ? ok([step(route.value)]) : route
}

function sweep(token: Address, min: bigint, to: Address): Result<Steps> {
  return ok([{ step: 'pay', asset: token, amount: 'balance', min, to }])
}

function sweepWithFee(token: Address, min: bigint, to: Address, bips: bigint, feeTo: Address): Result<Steps> {
  if (bips === 0n || bips > MAX_FEE_BIPS) return refuse(`the router takes no fee of ${bips} basis points`)
  return ok([
    { step: 'require', asset: token, min },
    { step: 'share', asset: token, share: bips, whole: FULL_BIPS, to: feeTo },
    { step: 'pay', asset: token, amount: 'balance', min: 0n, to },
  ])
}

function grant(
  asset: Address,
  amount: bigint,
  deadline: number | null,
  { wallet, router }: SwapRouterContext,
): Result<Steps> {
  const right = { asset, owner: wallet, spender: router, amount, expiresAt: null }
  return ok([{ step: 'grant', leg: grantLeg('erc20', right, deadline) }])
}

/** A right of the router itself to spend a token of the wallet, signed in the call. */
function permit([asset, amount, until]: SignedPermit, context: SwapRouterContext): Result<Steps> {
  return grant(asset, amount, deadlineOf(until), context)
}

/** The same in Dai's form: for everything, with a nonce before the expiry, which 0 leaves open. */
function permitAll([asset, , expiry]: SignedPermit, context: SwapRouterContext): Result<Steps> {
  return grant(asset, MAX_UINT256, expiry === 0n ? null : deadlineOf(expiry), context)
}

function batch(calls: readonly Hex[], context: SwapRouterContext): Result<Steps> {
  if (context.depth >= MAX_DEPTH) return refuse(`batches within batches are decoded ${MAX_DEPTH} deep`)
  const steps: Step[] = []
  for (const [i, data] of calls.entries()) {
    const result = callFunction(swapRouterFunctions, data, { ...context, depth: context.depth + 1 })
    if (!result.ok) return refuse(`call ${i}: ${result.reason}`)
    steps.push(...result.value.value)
  }
  return ok(steps)
}

// Source: swap-router-contracts 1.3.1, SwapRouter02 and its bases. The others (liquidity, approvals for the position
// manager, unwrapping with a fee) are refused.
export const swapRouterFunctions: FunctionTable<SwapRouterContext, Steps> = functionTable<SwapRouterContext, Steps>([
  abiFunction(
    'exactInputSingle',
    [tuple(address, address, uint(24), address, uint(256), uint(256), uint(160))],
    ([[sells, buys, , to, amount, min, limit]], context) =>
      on(tokenRoute([sells, buys]), (route) =>
        sell(route, { amount, min, to, pools: 'v3', limited: limit !== 0n }, context),
      ),
  ),
  abiFunction('exactInput', [tuple(bytes, address, uint(256), uint(256))], ([[path, to, amount, min]], context) =>
    on(v3Route(path, 'forwards'), (route) => sell(route, { amount, min, to, pools: 'v3', limited: false }, context)),
  ),
  abiFunction(
    'exactOutputSingle',
    [tuple(address, address, uint(24), address, uint(256), uint(256), uint(160))],
    ([[sells, buys, , to, amount, max, limit]], context) =>
      on(tokenRoute([sells, buys]), (route) =>
        // Where a price limit ends the purchase, the router does not insist on the whole amount.
        buy(
          route,
          { amount: limit === 0n ? exactly(amount) : { min: 0n, max: amount }, max, to, pools: 'v3' },
          context,
        ),
      ),
  ),
  abiFunction('exactOutput', [tuple(bytes, address, uint(256), uint(256))], ([[path, to, amount, max]], context) =>
    on(v3Route(path, 'backwards'), (route) => buy(route, { amount: exactly(amount), max, to, pools: 'v3' }, context)),
  ),
  abiFunction(
    'swapExactTokensForTokens',
    [uint(256), uint(256), array(address), address],
    ([amount, min, path, to], context) =>
      on(tokenRoute(path), (route) => sell(route, { amount, min, to, pools: 'v2', limited: false }, context)),
  ),
  abiFunction(
    'swapTokensForExactTokens',
    [uint(256), uint(256), array(address), address],
    ([amount, max, path, to], context) =>
      // Rounding can bring a little more, and no check keeps it from being less.
      on(tokenRoute(path), (route) =>
        buy(route, { amount: { min: amount, max: null }, max, to, pools: 'v2' }, context),
      ),
  ),
  abiFunction('multicall', [array(bytes)], ([calls], context) => batch(calls, context)),
  abiFunction('multicall', [uint(256), array(bytes)], ([deadline, calls], context) => {
    const steps = batch(calls, context)
    return steps.ok ? ok<Steps>([{ step: 'expire', at: deadline }, ...steps.value]) : steps
  }),
  abiFunction('multicall', [bytes32, array(bytes)], ([, calls], context) => batch(calls, context)),
  abiFunction('unwrapWETH9', [uint(256), address], ([min, to]) => ok([{ step: 'unwrap', min, to }])),
  abiFunction('unwrapWETH9', [uint(256)], ([min], { wallet }) => ok([{ step: 'unwrap', min, to: wallet }])),
  abiFunction('sweepToken', [address, uint(256), address], ([token, min, to]) => sweep(token, min, to)),
  abiFunction('sweepToken', [address, uint(256)], ([token, min], { wallet }) => sweep(token, min, wallet)),
  abiFunction('sweepTokenWithFee', [address, uint(256), address, uint(256), address], ([token, min, to, bips, feeTo]) =>
    sweepWithFee(token, min, to, bips, feeTo),
  ),
  abiFunction('sweepTokenWithFee', [address, uint(256), uint(256), address], ([token, min, bips, feeTo], { wallet }) =>
    sweepWithFee(token, min, wallet, bips, feeTo),
  ),
  abiFunction('refundETH', [], (_, { wallet }) =>
    ok([{ step: 'pay', asset: 'native', amount: 'balance', min: 0n, to: wallet }]),
  ),
  abiFunction('wrapETH', [uint(256)], ([amount], { router }) => ok([{ step: 'wrap', amount, to: router }])),
  abiFunction('pull', [address, uint(256)], ([asset, amount], { router }) =>
    ok([{ step: 'collect', asset, amount, to: router }]),
  ),
  abiFunction('selfPermit', signedPermit, permit),
  abiFunction('selfPermitIfNecessary', signedPermit, permit),
  abiFunction('selfPermitAllowed', signedPermit, permitAll),
  abiFunction('selfPermitAllowedIfNecessary', signedPermit, permitAll),
])
