import type { Address } from '../../../lib/address.ts'
import { ok } from '../../../lib/result.ts'
import { exactly } from '../../amount-range.ts'
import {
  abiFunction,
  address,
  array,
  bytes,
  bytes32,
  type FunctionTable,
  functionTable,
  refusedFunction,
  tuple,
  uint,
} from '../../calldata.ts'
import { tokenRoute, v3Route } from '../../uniswap-path.ts'
import {
  batch,
  buy,
  on,
  type PeripheryContext,
  peripheryFunctions,
  type Steps,
  sell,
  sweep,
  sweepWithFee,
  unwrapWithFee,
} from '../../uniswap-periphery.ts'

const SENDER: Address = '0x0000000000000000000000000000000000000001'
const ROUTER: Address = '0x0000000000000000000000000000000000000002'

function recipient(to: Address, { wallet, router }: PeripheryContext): Address {
  if (to === SENDER) return wallet
  return to === ROUTER ? router : to
}

/** An amount of 0 stands for all that the router holds. */
function heldOr(amount: bigint): bigint | 'balance' {
  return amount === 0n ? 'balance' : amount
}

const POSITIONS = 'what it does with a position of version 3 is not decoded'
const APPROVAL = 'an approval by the router itself, for the position manager, is not decoded'

// Source: swap-router-contracts 1.3.1, SwapRouter02 and its bases.
export const swapRouterFunctions: FunctionTable<PeripheryContext, Steps> = functionTable<PeripheryContext, Steps>([
  ...peripheryFunctions,
  abiFunction(
    'exactInputSingle',
    [tuple(address, address, uint(24), address, uint(256), uint(256), uint(160))],
    ([[sells, buys, , to, amount, min, limit]], context) =>
      on(tokenRoute([sells, buys]), (route) =>
        sell(route, {
          amount: heldOr(amount),
          min,
          to: recipient(to, context),
          pools: 'v3',
          limited: limit !== 0n,
        }),
      ),
  ),
  abiFunction('exactInput', [tuple(bytes, address, uint(256), uint(256))], ([[path, to, amount, min]], context) =>
    on(v3Route(path, 'forwards'), (route) =>
      sell(route, { amount: heldOr(amount), min, to: recipient(to, context), pools: 'v3', limited: false }),
    ),
  ),
  abiFunction(
    'exactOutputSingle',
    [tuple(address, address, uint(24), address, uint(256), uint(256), uint(160))],
    ([[sells, buys, , to, amount, max, limit]], context) =>
      on(tokenRoute([sells, buys]), (route) =>
        // Where a price limit ends the purchase, the router does not insist on the whole amount.
        buy(route, {
          amount: limit === 0n ? exactly(amount) : { min: 0n, max: amount },
          max,
          to: recipient(to, context),
          pools: 'v3',
        }),
      ),
  ),
  abiFunction('exactOutput', [tuple(bytes, address, uint(256), uint(256))], ([[path, to, amount, max]], context) =>
    on(v3Route(path, 'backwards'), (route) =>
      buy(route, { amount: exactly(amount), max, to: recipient(to, context), pools: 'v3' }),
    ),
  ),
  abiFunction(
    'swapExactTokensForTokens',
    [uint(256), uint(256), array(address), address],
    ([amount, min, path, to], context) =>
      on(tokenRoute(path), (route) =>
        sell(route, { amount: heldOr(amount), min, to: recipient(to, context), pools: 'v2', limited: false }),
      ),
  ),
  abiFunction(
    'swapTokensForExactTokens',
    [uint(256), uint(256), array(address), address],
    ([amount, max, path, to], context) =>
      // Rounding can bring a little more, and no check keeps it from being less.
      on(tokenRoute(path), (route) =>
        buy(route, { amount: { min: amount, max: null }, max, to: recipient(to, context), pools: 'v2' }),
      ),
  ),
  abiFunction('multicall', [array(bytes)], ([calls], context) => batch(calls, context, swapRouterFunctions)),
  abiFunction('multicall', [uint(256), array(bytes)], ([deadline, calls], context) => {
    const steps = batch(calls, context, swapRouterFunctions)
    return steps.ok ? ok<Steps>([{ step: 'expire', at: deadline }, ...steps.value]) : steps
  }),
  abiFunction('multicall', [bytes32, array(bytes)], ([, calls], context) => batch(calls, context, swapRouterFunctions)),
  abiFunction('unwrapWETH9', [uint(256)], ([min], { wallet }) => ok([{ step: 'unwrap', min, to: wallet }])),
  abiFunction('unwrapWETH9WithFee', [uint(256), uint(256), address], ([min, bips, feeTo], { wallet }) =>
    unwrapWithFee(min, wallet, bips, feeTo),
  ),
  abiFunction('sweepToken', [address, uint(256)], ([token, min], { wallet }) => sweep(token, min, wallet)),
  abiFunction('sweepTokenWithFee', [address, uint(256), uint(256), address], ([token, min, bips, feeTo], { wallet }) =>
    sweepWithFee(token, min, wallet, bips, feeTo),
  ),
  abiFunction('wrapETH', [uint(256)], ([amount], { router }) => ok([{ step: 'wrap', amount, to: router }])),
  abiFunction('pull', [address, uint(256)], ([asset, amount], { router }) =>
    ok([{ step: 'collect', asset, amount, to: router }]),
  ),
  ...['approveMax', 'approveMaxMinusOne', 'approveZeroThenMax', 'approveZeroThenMaxMinusOne'].map((name) =>
    refusedFunction<PeripheryContext, Steps>(`${name}(address)`, APPROVAL),
  ),
  refusedFunction('getApprovalType(address,uint256)', APPROVAL),
  refusedFunction('callPositionManager(bytes)', POSITIONS),
  refusedFunction('mint((address,address,uint24,int24,int24,uint256,uint256,address))', POSITIONS),
  refusedFunction('increaseLiquidity((address,address,uint256,uint256,uint256))', POSITIONS),
])
