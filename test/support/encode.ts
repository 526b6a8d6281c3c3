// Valid calldata for every function that the decoders read, written with viem's codecs alone: none of the product's code.
import {
  type AbiParameter,
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex,
  maxUint256,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { addresses } from '../../scripts/local-chain/addresses.ts'

/** A transaction as a caller proposes it. `value` is a hex quantity of wei. */
export type Encoded = Readonly<{ to: Address; data: Hex; value: Hex; description: string; protocol: string }>

export const { tokens, uniswap } = addresses

/** What routers read as "whoever calls me" and as "myself". */
export const SENDER: Address = '0x0000000000000000000000000000000000000001'
export const ROUTER: Address = '0x0000000000000000000000000000000000000002'
/** What the Universal Router reads as the chain's own coin, and as all that it holds. */
export const NATIVE: Address = '0x0000000000000000000000000000000000000000'
export const WHOLE_BALANCE = 1n << 255n

const ABI = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function transferFrom(address from, address to, uint256 amount)',
  'function increaseAllowance(address spender, uint256 added)',
  'function decreaseAllowance(address spender, uint256 taken)',
  'function deposit() payable',
  'function withdraw(uint256 amount)',
])

function encoded(to: Address, data: Hex, value: bigint, protocol: string, description: string): Encoded {
  return { to, data, value: numberToHex(value), protocol, description }
}

export const nativeTransfer = (f: Readonly<{ to: Address; amount: bigint }>) =>
  encoded(f.to, '0x', f.amount, 'native', `${f.amount} wei to ${f.to}`)

type TokenAmount = Readonly<{ token: Address; amount: bigint }>

export const erc20Transfer = (f: TokenAmount & Readonly<{ to: Address }>) =>
  token(f, encodeFunctionData({ abi: ABI, functionName: 'transfer', args: [f.to, f.amount] }), 'transfer')
export const erc20TransferFrom = (f: TokenAmount & Readonly<{ from: Address; to: Address }>) =>
  token(
    f,
    encodeFunctionData({ abi: ABI, functionName: 'transferFrom', args: [f.from, f.to, f.amount] }),
    'transferFrom',
  )
export const erc20Approve = (f: TokenAmount & Readonly<{ spender: Address }>) =>
  token(f, encodeFunctionData({ abi: ABI, functionName: 'approve', args: [f.spender, f.amount] }), 'approve')
export const erc20IncreaseAllowance = (f: TokenAmount & Readonly<{ spender: Address }>) =>
  token(f, encodeFunctionData({ abi: ABI, functionName: 'increaseAllowance', args: [f.spender, f.amount] }), 'increase')
export const erc20DecreaseAllowance = (f: TokenAmount & Readonly<{ spender: Address }>) =>
  token(f, encodeFunctionData({ abi: ABI, functionName: 'decreaseAllowance', args: [f.spender, f.amount] }), 'decrease')

function token(f: TokenAmount, data: Hex, what: string): Encoded {
  const protocol = f.token.toLowerCase() === tokens.WETH.toLowerCase() ? 'weth' : 'erc20'
  return encoded(f.token, data, 0n, protocol, `${what} of ${f.amount} at ${f.token}`)
}

export const wethDeposit = (f: Readonly<{ amount: bigint }>) =>
  encoded(tokens.WETH, encodeFunctionData({ abi: ABI, functionName: 'deposit' }), f.amount, 'weth', `wrap ${f.amount}`)
/** Plain value, which the wrapped coin takes as a deposit. */
export const wethReceive = (f: Readonly<{ amount: bigint }>) =>
  encoded(tokens.WETH, '0x', f.amount, 'weth', `send ${f.amount} to be wrapped`)
export const wethWithdraw = (f: Readonly<{ amount: bigint }>) => {
  const data = encodeFunctionData({ abi: ABI, functionName: 'withdraw', args: [f.amount] })
  return encoded(tokens.WETH, data, 0n, 'weth', `unwrap ${f.amount}`)
}

// Permit2

const PERMIT2 = [
  'struct PermitDetails { address token; uint160 amount; uint48 expiration; uint48 nonce; }',
  'struct PermitSingle { PermitDetails details; address spender; uint256 sigDeadline; }',
  'struct PermitBatch { PermitDetails[] details; address spender; uint256 sigDeadline; }',
  'struct TransferDetails { address from; address to; uint160 amount; address token; }',
  'struct Pair { address token; address spender; }',
] as const
const PERMIT2_APPROVE = parseAbi(['function approve(address, address, uint160, uint48)'])
const PERMIT2_TRANSFER = parseAbi(['function transferFrom(address, address, uint160, address)'])
const PERMIT2_TRANSFERS = parseAbi([PERMIT2[3], 'function transferFrom(TransferDetails[])'])
const PERMIT2_PERMIT = parseAbi([PERMIT2[0], PERMIT2[1], 'function permit(address, PermitSingle, bytes)'])
const PERMIT2_PERMITS = parseAbi([PERMIT2[0], PERMIT2[2], 'function permit(address, PermitBatch, bytes)'])
const PERMIT2_LOCKDOWN = parseAbi([PERMIT2[4], 'function lockdown(Pair[])'])
const PERMIT2_INVALIDATE = parseAbi(['function invalidateNonces(address, address, uint48)'])

export type PermitDetails = Readonly<{ token: Address; amount: bigint; expiration: number; nonce: number }>
export type PermitSingle = Readonly<{ details: PermitDetails; spender: Address; sigDeadline: bigint }>
export type PermitBatch = Readonly<{ details: readonly PermitDetails[]; spender: Address; sigDeadline: bigint }>
export type Transfer = Readonly<{ from: Address; to: Address; amount: bigint; token: Address }>

const permit2 = (data: Hex, description: string) => encoded(uniswap.permit2, data, 0n, 'permit2', description)

export const permit2Approve = (
  f: Readonly<{ token: Address; spender: Address; amount: bigint; expiration: number }>,
) => {
  const args = [f.token, f.spender, f.amount, f.expiration] as const
  return permit2(encodeFunctionData({ abi: PERMIT2_APPROVE, args }), `allow ${f.spender} ${f.amount} of ${f.token}`)
}
export const permit2Transfer = (f: Transfer) => {
  const args = [f.from, f.to, f.amount, f.token] as const
  return permit2(encodeFunctionData({ abi: PERMIT2_TRANSFER, args }), `transfer ${f.amount} of ${f.token} to ${f.to}`)
}
export const permit2Transfers = (f: Readonly<{ transfers: readonly Transfer[] }>) =>
  permit2(encodeFunctionData({ abi: PERMIT2_TRANSFERS, args: [f.transfers] }), `${f.transfers.length} transfers`)
export const permit2Permit = (f: Readonly<{ owner: Address; permit: PermitSingle; signature: Hex }>) =>
  permit2(encodeFunctionData({ abi: PERMIT2_PERMIT, args: [f.owner, f.permit, f.signature] }), 'signed permit')
export const permit2Permits = (f: Readonly<{ owner: Address; permit: PermitBatch; signature: Hex }>) =>
  permit2(encodeFunctionData({ abi: PERMIT2_PERMITS, args: [f.owner, f.permit, f.signature] }), 'signed permits')
export const permit2Lockdown = (f: Readonly<{ pairs: readonly Readonly<{ token: Address; spender: Address }>[] }>) =>
  permit2(encodeFunctionData({ abi: PERMIT2_LOCKDOWN, args: [f.pairs] }), `lock ${f.pairs.length} down`)
export const permit2InvalidateNonces = (f: Readonly<{ token: Address; spender: Address; nonce: number }>) =>
  permit2(encodeFunctionData({ abi: PERMIT2_INVALIDATE, args: [f.token, f.spender, f.nonce] }), 'invalidate nonces')

// Paths

/** A v3 route: tokens in the order of the trade, and the fee of the pool between each two. */
export type V3Route = Readonly<{ tokens: readonly Address[]; fees: readonly number[] }>

/** The bytes of a v3 path. Exact outputs write it from its end. */
export function v3Path({ tokens, fees }: V3Route, written: 'forwards' | 'backwards' = 'forwards'): Hex {
  const [first, ...rest] = written === 'forwards' ? tokens : tokens.toReversed()
  const between = written === 'forwards' ? fees : fees.toReversed()
  return concatHex([
    first ?? '0x',
    ...rest.map((token, i) => encodePacked(['uint24', 'address'], [between[i] ?? 0, token])),
  ])
}

// SwapRouter02: each gives the data of one call; `swapRouter02` makes a transaction of it.

const SR = {
  exactInputSingle: parseAbi([
    'struct P { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
    'function exactInputSingle(P params) payable',
  ]),
  exactOutputSingle: parseAbi([
    'struct P { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountOut; uint256 amountInMaximum; uint160 sqrtPriceLimitX96; }',
    'function exactOutputSingle(P params) payable',
  ]),
  exactInput: parseAbi([
    'struct P { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
    'function exactInput(P params) payable',
  ]),
  exactOutput: parseAbi([
    'struct P { bytes path; address recipient; uint256 amountOut; uint256 amountInMaximum; }',
    'function exactOutput(P params) payable',
  ]),
  v2In: parseAbi(['function swapExactTokensForTokens(uint256, uint256, address[], address) payable']),
  v2Out: parseAbi(['function swapTokensForExactTokens(uint256, uint256, address[], address) payable']),
  multicall: parseAbi(['function multicall(bytes[]) payable']),
  multicallDeadline: parseAbi(['function multicall(uint256, bytes[]) payable']),
  multicallBlockhash: parseAbi(['function multicall(bytes32, bytes[]) payable']),
  unwrapTo: parseAbi(['function unwrapWETH9(uint256, address) payable']),
  unwrap: parseAbi(['function unwrapWETH9(uint256) payable']),
  sweepTo: parseAbi(['function sweepToken(address, uint256, address) payable']),
  sweep: parseAbi(['function sweepToken(address, uint256) payable']),
  sweepFeeTo: parseAbi(['function sweepTokenWithFee(address, uint256, address, uint256, address) payable']),
  sweepFee: parseAbi(['function sweepTokenWithFee(address, uint256, uint256, address) payable']),
  refundETH: parseAbi(['function refundETH() payable']),
  wrapETH: parseAbi(['function wrapETH(uint256) payable']),
  pull: parseAbi(['function pull(address, uint256) payable']),
  selfPermit: parseAbi(['function selfPermit(address, uint256, uint256, uint8, bytes32, bytes32) payable']),
  selfPermitIfNecessary: parseAbi([
    'function selfPermitIfNecessary(address, uint256, uint256, uint8, bytes32, bytes32) payable',
  ]),
  selfPermitAllowedIfNecessary: parseAbi([
    'function selfPermitAllowedIfNecessary(address, uint256, uint256, uint8, bytes32, bytes32) payable',
  ]),
  selfPermitAllowed: parseAbi([
    'function selfPermitAllowed(address, uint256, uint256, uint8, bytes32, bytes32) payable',
  ]),
}

type Single = Readonly<{ tokenIn: Address; tokenOut: Address; fee: number; recipient: Address; limit: bigint }>
type ExactIn = Readonly<{ recipient: Address; amountIn: bigint; min: bigint }>
type ExactOut = Readonly<{ recipient: Address; amountOut: bigint; max: bigint }>
type V2Route = Readonly<{ path: readonly Address[] }>
type Signature = Readonly<{ v: number; r: Hex; s: Hex }>

export const srExactInputSingle = ({ amountIn, min, limit, ...f }: Single & ExactIn) =>
  encodeFunctionData({
    abi: SR.exactInputSingle,
    args: [{ ...f, amountIn, amountOutMinimum: min, sqrtPriceLimitX96: limit }],
  })
export const srExactOutputSingle = ({ amountOut, max, limit, ...f }: Single & ExactOut) =>
  encodeFunctionData({
    abi: SR.exactOutputSingle,
    args: [{ ...f, amountOut, amountInMaximum: max, sqrtPriceLimitX96: limit }],
  })
export const srExactInput = ({ recipient, amountIn, min, ...route }: V3Route & ExactIn) =>
  encodeFunctionData({
    abi: SR.exactInput,
    args: [{ path: v3Path(route), recipient, amountIn, amountOutMinimum: min }],
  })
export const srExactOutput = ({ recipient, amountOut, max, ...route }: V3Route & ExactOut) =>
  encodeFunctionData({
    abi: SR.exactOutput,
    args: [{ path: v3Path(route, 'backwards'), recipient, amountOut, amountInMaximum: max }],
  })
export const srV2In = (f: V2Route & ExactIn) =>
  encodeFunctionData({ abi: SR.v2In, args: [f.amountIn, f.min, f.path, f.recipient] })
export const srV2Out = (f: V2Route & ExactOut) =>
  encodeFunctionData({ abi: SR.v2Out, args: [f.amountOut, f.max, f.path, f.recipient] })
export const srMulticall = (f: Readonly<{ calls: readonly Hex[] }>) =>
  encodeFunctionData({ abi: SR.multicall, args: [f.calls] })
export const srMulticallDeadline = (f: Readonly<{ deadline: bigint; calls: readonly Hex[] }>) =>
  encodeFunctionData({ abi: SR.multicallDeadline, args: [f.deadline, f.calls] })
export const srMulticallBlockhash = (f: Readonly<{ blockhash: Hex; calls: readonly Hex[] }>) =>
  encodeFunctionData({ abi: SR.multicallBlockhash, args: [f.blockhash, f.calls] })
export const srUnwrapTo = (f: Readonly<{ min: bigint; recipient: Address }>) =>
  encodeFunctionData({ abi: SR.unwrapTo, args: [f.min, f.recipient] })
export const srUnwrap = (f: Readonly<{ min: bigint }>) => encodeFunctionData({ abi: SR.unwrap, args: [f.min] })
export const srSweepTo = (f: Readonly<{ token: Address; min: bigint; recipient: Address }>) =>
  encodeFunctionData({ abi: SR.sweepTo, args: [f.token, f.min, f.recipient] })
export const srSweep = (f: Readonly<{ token: Address; min: bigint }>) =>
  encodeFunctionData({ abi: SR.sweep, args: [f.token, f.min] })
export const srSweepFeeTo = (
  f: Readonly<{ token: Address; min: bigint; recipient: Address; bips: bigint; feeTo: Address }>,
) => encodeFunctionData({ abi: SR.sweepFeeTo, args: [f.token, f.min, f.recipient, f.bips, f.feeTo] })
export const srSweepFee = (f: Readonly<{ token: Address; min: bigint; bips: bigint; feeTo: Address }>) =>
  encodeFunctionData({ abi: SR.sweepFee, args: [f.token, f.min, f.bips, f.feeTo] })
export const srRefundETH = () => encodeFunctionData({ abi: SR.refundETH })
export const srWrapETH = (f: Readonly<{ amount: bigint }>) => encodeFunctionData({ abi: SR.wrapETH, args: [f.amount] })
export const srPull = (f: TokenAmount) => encodeFunctionData({ abi: SR.pull, args: [f.token, f.amount] })
export const srSelfPermit = (f: TokenAmount & Signature & Readonly<{ deadline: bigint }>) =>
  encodeFunctionData({ abi: SR.selfPermit, args: [f.token, f.amount, f.deadline, f.v, f.r, f.s] })
export const srSelfPermitAllowed = (f: Signature & Readonly<{ token: Address; nonce: bigint; expiry: bigint }>) =>
  encodeFunctionData({ abi: SR.selfPermitAllowed, args: [f.token, f.nonce, f.expiry, f.v, f.r, f.s] })

export const srSelfPermitIfNecessary = (f: TokenAmount & Signature & Readonly<{ deadline: bigint }>) =>
  encodeFunctionData({ abi: SR.selfPermitIfNecessary, args: [f.token, f.amount, f.deadline, f.v, f.r, f.s] })
export const srSelfPermitAllowedIfNecessary = (
  f: Signature & Readonly<{ token: Address; nonce: bigint; expiry: bigint }>,
) => encodeFunctionData({ abi: SR.selfPermitAllowedIfNecessary, args: [f.token, f.nonce, f.expiry, f.v, f.r, f.s] })

export const swapRouter02 = (data: Hex, value = 0n, description = 'SwapRouter02') =>
  encoded(uniswap.swapRouter02, data, value, 'uniswap', description)

// Universal Router: each gives one command; `universalRouter` makes a transaction of them.

export type Version = '2.0' | '2.1'
export type Command = Readonly<{ byte: number; input: Hex }>

const EXECUTE = parseAbi(['function execute(bytes, bytes[], uint256) payable'])
const EXECUTE_UNDATED = parseAbi(['function execute(bytes, bytes[]) payable'])
const UR = {
  v3: { '2.0': 'address, uint256, uint256, bytes, bool', '2.1': 'address, uint256, uint256, bytes, bool, uint256[]' },
  v2: {
    '2.0': 'address, uint256, uint256, address[], bool',
    '2.1': 'address, uint256, uint256, address[], bool, uint256[]',
  },
} as const
const V3_20 = parseAbiParameters(UR.v3['2.0'])
const V3_21 = parseAbiParameters(UR.v3['2.1'])
const V2_20 = parseAbiParameters(UR.v2['2.0'])
const V2_21 = parseAbiParameters(UR.v2['2.1'])
const TO_AMOUNT = parseAbiParameters('address, uint256')
const TOKEN_TO_AMOUNT = parseAbiParameters('address, address, uint256')
const COLLECT = parseAbiParameters('address, address, uint160')
const COLLECTS = parseAbiParameters(['TransferDetails[] transfers', PERMIT2[3]])
const PERMIT = parseAbiParameters(['PermitSingle permit, bytes signature', PERMIT2[0], PERMIT2[1]])
const PERMITS = parseAbiParameters(['PermitBatch permit, bytes signature', PERMIT2[0], PERMIT2[2]])

type Swap = Readonly<{ version: Version; walletPays: boolean; prices?: readonly bigint[] }>
type Values = readonly [Address, bigint, bigint]

function v3Command(byte: number, { version, walletPays, prices = [] }: Swap, values: Values, path: Hex): Command {
  const input =
    version === '2.0'
      ? encodeAbiParameters(V3_20, [...values, path, walletPays])
      : encodeAbiParameters(V3_21, [...values, path, walletPays, prices])
  return { byte, input }
}
function v2Command(byte: number, swap: Swap, values: Values, path: readonly Address[]): Command {
  const { version, walletPays, prices = [] } = swap
  const input =
    version === '2.0'
      ? encodeAbiParameters(V2_20, [...values, path, walletPays])
      : encodeAbiParameters(V2_21, [...values, path, walletPays, prices])
  return { byte, input }
}

export const urV3In = (f: Swap & V3Route & ExactIn) => v3Command(0x00, f, [f.recipient, f.amountIn, f.min], v3Path(f))
export const urV3Out = (f: Swap & V3Route & ExactOut) =>
  v3Command(0x01, f, [f.recipient, f.amountOut, f.max], v3Path(f, 'backwards'))
export const urV2In = (f: Swap & V2Route & ExactIn) => v2Command(0x08, f, [f.recipient, f.amountIn, f.min], f.path)
export const urV2Out = (f: Swap & V2Route & ExactOut) => v2Command(0x09, f, [f.recipient, f.amountOut, f.max], f.path)
export const urCollect = (f: TokenAmount & Readonly<{ to: Address }>): Command => ({
  byte: 0x02,
  input: encodeAbiParameters(COLLECT, [f.token, f.to, f.amount]),
})
export const urCollects = (f: Readonly<{ transfers: readonly Transfer[] }>): Command => ({
  byte: 0x0d,
  input: encodeAbiParameters(COLLECTS, [f.transfers]),
})
export const urPermit = (f: Readonly<{ permit: PermitSingle; signature: Hex }>): Command => ({
  byte: 0x0a,
  input: encodeAbiParameters(PERMIT, [f.permit, f.signature]),
})
export const urPermits = (f: Readonly<{ permit: PermitBatch; signature: Hex }>): Command => ({
  byte: 0x03,
  input: encodeAbiParameters(PERMITS, [f.permit, f.signature]),
})

type Payment = Readonly<{ token: Address; to: Address }>
const payment = (byte: number, f: Payment, amount: bigint): Command => ({
  byte,
  input: encodeAbiParameters(TOKEN_TO_AMOUNT, [f.token, f.to, amount]),
})
export const urSweep = (f: Payment & Readonly<{ min: bigint }>) => payment(0x04, f, f.min)
export const urTransfer = (f: Payment & Readonly<{ amount: bigint }>) => payment(0x05, f, f.amount)
export const urPortion = (f: Payment & Readonly<{ bips: bigint }>) => payment(0x06, f, f.bips)
export const urWrap = (f: Readonly<{ to: Address; amount: bigint }>): Command => ({
  byte: 0x0b,
  input: encodeAbiParameters(TO_AMOUNT, [f.to, f.amount]),
})
export const urUnwrap = (f: Readonly<{ to: Address; min: bigint }>): Command => ({
  byte: 0x0c,
  input: encodeAbiParameters(TO_AMOUNT, [f.to, f.min]),
})
export const urBalanceCheck = (f: Readonly<{ owner: Address; token: Address; min: bigint }>): Command => ({
  byte: 0x0e,
  input: encodeAbiParameters(TOKEN_TO_AMOUNT, [f.owner, f.token, f.min]),
})

/** Lets the plan go on where the command says that it failed. */
export const mayFail = ({ byte, input }: Command): Command => ({ byte: byte | 0x80, input })

export type Plan = Readonly<{
  version: Version
  commands: readonly Command[]
  value?: bigint
  /** Unix seconds; null for the call that has none. */
  deadline?: bigint | null
}>

export function universalRouter({ version, commands, value = 0n, deadline = maxUint256 }: Plan): Encoded {
  const bytes: Hex = `0x${commands.map(({ byte }) => byte.toString(16).padStart(2, '0')).join('')}`
  const inputs = commands.map(({ input }) => input)
  const data =
    deadline === null
      ? encodeFunctionData({ abi: EXECUTE_UNDATED, args: [bytes, inputs] })
      : encodeFunctionData({ abi: EXECUTE, args: [bytes, inputs, deadline] })
  const to = version === '2.0' ? uniswap.universalRouter20 : uniswap.universalRouter21
  return encoded(to, data, value, 'uniswap', `Universal Router ${version}: ${bytes}`)
}

/** All functions that are written here, by what is called. */
export const FUNCTIONS = {
  token: ABI,
  permit2: [
    ...PERMIT2_APPROVE,
    ...PERMIT2_TRANSFER,
    ...PERMIT2_TRANSFERS,
    ...PERMIT2_PERMIT,
    ...PERMIT2_PERMITS,
    ...PERMIT2_LOCKDOWN,
    ...PERMIT2_INVALIDATE,
  ],
  swapRouter02: Object.values(SR).flat(),
  universalRouter: [...EXECUTE, ...EXECUTE_UNDATED],
}

/** The input of a command of the Universal Router; undefined for a command that is not written here. */
export function inputOf(version: Version, byte: number): readonly AbiParameter[] | undefined {
  const swaps = version === '2.0' ? { v2: V2_20, v3: V3_20 } : { v2: V2_21, v3: V3_21 }
  const inputs: Readonly<Record<number, readonly AbiParameter[]>> = {
    0x00: swaps.v3,
    0x01: swaps.v3,
    0x02: COLLECT,
    0x03: PERMITS,
    0x04: TOKEN_TO_AMOUNT,
    0x05: TOKEN_TO_AMOUNT,
    0x06: TOKEN_TO_AMOUNT,
    0x07: TOKEN_TO_AMOUNT,
    0x08: swaps.v2,
    0x09: swaps.v2,
    0x0a: PERMIT,
    0x0b: TO_AMOUNT,
    0x0c: TO_AMOUNT,
    0x0d: COLLECTS,
    0x0e: TOKEN_TO_AMOUNT,
  }
  return inputs[byte & 0x7f]
}
