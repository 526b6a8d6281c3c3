import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex,
  maxUint256,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from 'viem'

const v2RouterAbi = parseAbi([
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
])
const executeAbi = parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline) payable'])
const swapParameters20 = parseAbiParameters('address, uint256, uint256, bytes, bool')
const swapParameters21 = parseAbiParameters('address, uint256, uint256, bytes, bool, uint256[]')
const permitParameters = parseAbiParameters([
  'PermitSingle permit, bytes signature',
  'struct PermitSingle { PermitDetails details; address spender; uint256 sigDeadline; }',
  'struct PermitDetails { address token; uint160 amount; uint48 expiration; uint48 nonce; }',
])
const v4SwapParameters = parseAbiParameters([
  'ExactInputSingle params',
  'struct ExactInputSingle { PoolKey poolKey; bool zeroForOne; uint128 amountIn; uint128 amountOutMinimum; bytes hookData; }',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
])
const v4MultiHopParameters21 = parseAbiParameters([
  'ExactInput params',
  'struct ExactInput { address currencyIn; PathKey[] path; uint256[] maxHopPrices; uint128 amountIn; uint128 amountOutMinimum; }',
  'struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }',
])

/** The Universal Router's word for "whoever calls me". */
const messageSender = '0x0000000000000000000000000000000000000001'

export type Command = Readonly<{ byte: Hex; input: Hex }>
export type PermitSingle = Readonly<{
  details: Readonly<{ token: Address; amount: bigint; expiration: number; nonce: number }>
  spender: Address
  sigDeadline: bigint
}>

export function v2Swap(amountIn: bigint, path: readonly Address[], to: Address): Hex {
  const args = [amountIn, 1n, path, to, maxUint256] as const
  return encodeFunctionData({ abi: v2RouterAbi, functionName: 'swapExactTokensForTokens', args })
}

/** Tokens with the fee of the pool between each two. */
export function v3Path(first: Address, ...hops: readonly (readonly [fee: number, token: Address])[]): Hex {
  return concatHex([first, ...hops.map((hop) => encodePacked(['uint24', 'address'], hop))])
}

export function execute(...commands: readonly Command[]): Hex {
  const args = [concatHex(commands.map(({ byte }) => byte)), commands.map(({ input }) => input), maxUint256] as const
  return encodeFunctionData({ abi: executeAbi, functionName: 'execute', args })
}

export function v3SwapExactIn20(amountIn: bigint, amountOutMin: bigint, path: Hex): Command {
  const input = encodeAbiParameters(swapParameters20, [messageSender, amountIn, amountOutMin, path, true])
  return { byte: '0x00', input }
}

/** As 2.1.1 takes it: with a least price for each hop, here none. */
export function v3SwapExactIn21(amountIn: bigint, amountOutMin: bigint, path: Hex): Command {
  const input = encodeAbiParameters(swapParameters21, [messageSender, amountIn, amountOutMin, path, true, []])
  return { byte: '0x00', input }
}

export function permit2Permit(permit: PermitSingle, signature: Hex): Command {
  return { byte: '0x0a', input: encodeAbiParameters(permitParameters, [permit, signature]) }
}

/** Version 2.0: native to `token` in the 0.05 % pool. */
export function v4SwapNativeIn20(amountIn: bigint, token: Address): Command {
  const poolKey = { currency0: zeroAddress, currency1: token, fee: 500, tickSpacing: 10, hooks: zeroAddress } as const
  const single = { poolKey, zeroForOne: true, amountIn, amountOutMinimum: 1n, hookData: '0x' } as const
  return v4Swap('0x060c0f', encodeAbiParameters(v4SwapParameters, [single]), amountIn, token)
}

/** Release 2.1.0: native to USDC to WETH, with a greatest price (in per out, times 1e18) for each hop. */
export function v4MultiHopNativeIn21(
  amountIn: bigint,
  usdc: Address,
  weth: Address,
  maxHopPrices: readonly bigint[],
): Command {
  const path = [
    { intermediateCurrency: usdc, fee: 500, tickSpacing: 10, hooks: zeroAddress, hookData: '0x' },
    { intermediateCurrency: weth, fee: 3000, tickSpacing: 60, hooks: zeroAddress, hookData: '0x' },
  ] as const
  const swap = { currencyIn: zeroAddress, path, maxHopPrices, amountIn, amountOutMinimum: 1n } as const
  return v4Swap('0x070c0f', encodeAbiParameters(v4MultiHopParameters21, [swap]), amountIn, weth)
}

/** A swap of native value, then SETTLE_ALL and TAKE_ALL. */
function v4Swap(actions: Hex, swap: Hex, amountIn: bigint, tokenOut: Address): Command {
  const pair = parseAbiParameters('address, uint256')
  const settle = encodeAbiParameters(pair, [zeroAddress, amountIn])
  const take = encodeAbiParameters(pair, [tokenOut, 1n])
  const input = encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [actions, [swap, settle, take]])
  return { byte: '0x10', input }
}
