// Calldata of Uniswap's older routers, Router02 for pools of version 2 and the first SwapRouter for those of version 3.
// Written with viem's codecs alone.
import { type Address, encodeFunctionData, type Hex, maxUint256, numberToHex, parseAbi } from 'viem'
import { type Encoded, uniswap, type V3Route, v3Path } from './encode.ts'

type Signature = Readonly<{ v: number; r: Hex; s: Hex }>

// Router02: each gives a transaction.

const V2 = {
  swapExactTokensForTokens: parseAbi([
    'function swapExactTokensForTokens(uint256, uint256, address[], address, uint256)',
  ]),
  swapTokensForExactTokens: parseAbi([
    'function swapTokensForExactTokens(uint256, uint256, address[], address, uint256)',
  ]),
  swapExactTokensForETH: parseAbi(['function swapExactTokensForETH(uint256, uint256, address[], address, uint256)']),
  swapTokensForExactETH: parseAbi(['function swapTokensForExactETH(uint256, uint256, address[], address, uint256)']),
  swapExactTokensForTokensSupportingFeeOnTransferTokens: parseAbi([
    'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256, uint256, address[], address, uint256)',
  ]),
  swapExactTokensForETHSupportingFeeOnTransferTokens: parseAbi([
    'function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256, uint256, address[], address, uint256)',
  ]),
} as const
const V2_NATIVE = {
  swapExactETHForTokens: parseAbi(['function swapExactETHForTokens(uint256, address[], address, uint256) payable']),
  swapETHForExactTokens: parseAbi(['function swapETHForExactTokens(uint256, address[], address, uint256) payable']),
  swapExactETHForTokensSupportingFeeOnTransferTokens: parseAbi([
    'function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256, address[], address, uint256) payable',
  ]),
} as const
const ADD = parseAbi([
  'function addLiquidity(address, address, uint256, uint256, uint256, uint256, address, uint256)',
  'function addLiquidityETH(address, uint256, uint256, uint256, address, uint256) payable',
])
const REMOVE = parseAbi([
  'function removeLiquidity(address, address, uint256, uint256, uint256, address, uint256)',
  'function removeLiquidityWithPermit(address, address, uint256, uint256, uint256, address, uint256, bool, uint8, bytes32, bytes32)',
])
const REMOVE_NATIVE = {
  removeLiquidityETH: parseAbi(['function removeLiquidityETH(address, uint256, uint256, uint256, address, uint256)']),
  removeLiquidityETHSupportingFeeOnTransferTokens: parseAbi([
    'function removeLiquidityETHSupportingFeeOnTransferTokens(address, uint256, uint256, uint256, address, uint256)',
  ]),
} as const
const REMOVE_NATIVE_SIGNED = {
  removeLiquidityETH: parseAbi([
    'function removeLiquidityETHWithPermit(address, uint256, uint256, uint256, address, uint256, bool, uint8, bytes32, bytes32)',
  ]),
  removeLiquidityETHSupportingFeeOnTransferTokens: parseAbi([
    'function removeLiquidityETHWithPermitSupportingFeeOnTransferTokens(address, uint256, uint256, uint256, address, uint256, bool, uint8, bytes32, bytes32)',
  ]),
} as const

function router02(data: Hex, value: bigint, description: string): Encoded {
  return { to: uniswap.v2Router02, data, value: numberToHex(value), protocol: 'uniswap', description }
}

type V2Swap = Readonly<{ path: readonly Address[]; to: Address; deadline?: bigint }>
/** What is sold or bought exactly, and the limit of the other. */
type Amounts = Readonly<{ amount: bigint; limit: bigint }>

export type V2SwapName = keyof typeof V2
export const V2_SWAPS = Object.keys(V2) as readonly V2SwapName[]
export const v2Swap = (name: V2SwapName, { amount, limit, path, to, deadline = maxUint256 }: V2Swap & Amounts) =>
  router02(encodeFunctionData({ abi: V2[name], args: [amount, limit, path, to, deadline] } as never), 0n, name)

export type V2NativeSwapName = keyof typeof V2_NATIVE
export const V2_NATIVE_SWAPS = Object.keys(V2_NATIVE) as readonly V2NativeSwapName[]
type NativeAmounts = Readonly<{ value: bigint; amount: bigint }>
export const v2NativeSwap = (name: V2NativeSwapName, f: V2Swap & NativeAmounts) =>
  router02(
    encodeFunctionData({ abi: V2_NATIVE[name], args: [f.amount, f.path, f.to, f.deadline ?? maxUint256] } as never),
    f.value,
    name,
  )

type Liquidity = Readonly<{ to: Address; deadline?: bigint }>
type Two = Readonly<{ a: Address; b: Address; minA: bigint; minB: bigint }>
export const v2Add = (f: Two & Liquidity & Readonly<{ amountA: bigint; amountB: bigint }>) => {
  const args = [f.a, f.b, f.amountA, f.amountB, f.minA, f.minB, f.to, f.deadline ?? maxUint256] as const
  return router02(encodeFunctionData({ abi: ADD, functionName: 'addLiquidity', args }), 0n, 'addLiquidity')
}
type WithNative = Readonly<{ token: Address; min: bigint; minNative: bigint }>
export const v2AddNative = (f: WithNative & Liquidity & Readonly<{ amount: bigint; value: bigint }>) => {
  const args = [f.token, f.amount, f.min, f.minNative, f.to, f.deadline ?? maxUint256] as const
  return router02(encodeFunctionData({ abi: ADD, functionName: 'addLiquidityETH', args }), f.value, 'addLiquidityETH')
}
/** The signed approval of a pool's shares, of all of them or of those that are removed. */
export type SharesPermit = Signature & Readonly<{ all: boolean }>
type Removal = Liquidity & Readonly<{ shares: bigint; permit?: SharesPermit }>
export const v2Remove = (f: Two & Removal) => {
  const args = [f.a, f.b, f.shares, f.minA, f.minB, f.to, f.deadline ?? maxUint256] as const
  if (!f.permit)
    return router02(encodeFunctionData({ abi: REMOVE, functionName: 'removeLiquidity', args }), 0n, 'remove')
  const { all, v, r, s } = f.permit
  const functionName = 'removeLiquidityWithPermit'
  return router02(encodeFunctionData({ abi: REMOVE, functionName, args: [...args, all, v, r, s] }), 0n, functionName)
}
export type V2RemovalName = keyof typeof REMOVE_NATIVE
export const V2_NATIVE_REMOVALS = Object.keys(REMOVE_NATIVE) as readonly V2RemovalName[]
export const v2RemoveNative = (name: V2RemovalName, f: WithNative & Removal) => {
  const args = [f.token, f.shares, f.min, f.minNative, f.to, f.deadline ?? maxUint256] as const
  if (!f.permit) return router02(encodeFunctionData({ abi: REMOVE_NATIVE[name], args } as never), 0n, name)
  const { all, v, r, s } = f.permit
  const signed = { abi: REMOVE_NATIVE_SIGNED[name], args: [...args, all, v, r, s] }
  return router02(encodeFunctionData(signed as never), 0n, `${name} with a permit`)
}

// SwapRouter: each gives the data of one call; `v3SwapRouter` makes a transaction of it. What it shares with SwapRouter02
// has the same bytes there.

const V3 = {
  exactInputSingle: parseAbi([
    'struct P { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
    'function exactInputSingle(P params) payable',
  ]),
  exactOutputSingle: parseAbi([
    'struct P { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 deadline; uint256 amountOut; uint256 amountInMaximum; uint160 sqrtPriceLimitX96; }',
    'function exactOutputSingle(P params) payable',
  ]),
  exactInput: parseAbi([
    'struct P { bytes path; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; }',
    'function exactInput(P params) payable',
  ]),
  exactOutput: parseAbi([
    'struct P { bytes path; address recipient; uint256 deadline; uint256 amountOut; uint256 amountInMaximum; }',
    'function exactOutput(P params) payable',
  ]),
  unwrapFeeTo: parseAbi(['function unwrapWETH9WithFee(uint256, address, uint256, address) payable']),
  unwrapFee: parseAbi(['function unwrapWETH9WithFee(uint256, uint256, address) payable']),
}

type Terms = Readonly<{ recipient: Address; amount: bigint; limit: bigint; deadline?: bigint }>
type Single = Terms & Readonly<{ tokenIn: Address; tokenOut: Address; fee: number; priceLimit?: bigint }>

export const v3InSingle = ({ amount, limit, priceLimit = 0n, deadline = maxUint256, ...f }: Single) => {
  const params = { ...f, deadline, amountIn: amount, amountOutMinimum: limit, sqrtPriceLimitX96: priceLimit }
  return encodeFunctionData({ abi: V3.exactInputSingle, args: [params] })
}
export const v3OutSingle = ({ amount, limit, priceLimit = 0n, deadline = maxUint256, ...f }: Single) => {
  const params = { ...f, deadline, amountOut: amount, amountInMaximum: limit, sqrtPriceLimitX96: priceLimit }
  return encodeFunctionData({ abi: V3.exactOutputSingle, args: [params] })
}
export const v3In = ({ recipient, amount, limit, deadline = maxUint256, ...route }: Terms & V3Route) => {
  const params = { path: v3Path(route), recipient, deadline, amountIn: amount, amountOutMinimum: limit }
  return encodeFunctionData({ abi: V3.exactInput, args: [params] })
}
export const v3Out = ({ recipient, amount, limit, deadline = maxUint256, ...route }: Terms & V3Route) => {
  const params = { path: v3Path(route, 'backwards'), recipient, deadline, amountOut: amount, amountInMaximum: limit }
  return encodeFunctionData({ abi: V3.exactOutput, args: [params] })
}
type Fee = Readonly<{ min: bigint; bips: bigint; feeTo: Address }>
export const unwrapFeeTo = (f: Fee & Readonly<{ recipient: Address }>) =>
  encodeFunctionData({ abi: V3.unwrapFeeTo, args: [f.min, f.recipient, f.bips, f.feeTo] })
/** Of SwapRouter02 alone. */
export const unwrapFee = (f: Fee) => encodeFunctionData({ abi: V3.unwrapFee, args: [f.min, f.bips, f.feeTo] })

export const v3SwapRouter = (data: Hex, value = 0n, description = 'SwapRouter'): Encoded => ({
  to: uniswap.v3SwapRouter,
  data,
  value: numberToHex(value),
  protocol: 'uniswap',
  description,
})

/** All functions that are written here, by what is called. */
export const ROUTER_FUNCTIONS = {
  v2Router02: [V2, V2_NATIVE, REMOVE_NATIVE, REMOVE_NATIVE_SIGNED]
    .flatMap((group) => Object.values(group).flat())
    .concat(ADD as never, REMOVE as never),
  v3SwapRouter: Object.values(V3).flat(),
}
