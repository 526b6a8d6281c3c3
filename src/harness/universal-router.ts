import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  parseAbi,
  parseAbiParameters,
} from 'viem/utils'
import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import type { Quote } from './tool.ts'

const EXECUTE = parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline) payable'])

/** Command bytes of the Universal Router, equal in all versions. */
const COMMAND = {
  v3: { 'exact-in': '0x00', 'exact-out': '0x01' },
  v2: { 'exact-in': '0x08', 'exact-out': '0x09' },
  wrap: '0x0b',
  unwrap: '0x0c',
} as const

/** The router's own word for itself as a recipient. */
const ROUTER: Address = '0x0000000000000000000000000000000000000002'

const AMOUNT_TO = parseAbiParameters('address recipient, uint256 amount')

/** Where the chain's own coin stands in for its wrapped token. */
export type NativeSide = 'sell' | 'buy' | 'none'

/** One swap through one pool, with the limit that the chain enforces. Amounts in the tokens' smallest units. */
export type SwapPlan = Readonly<{
  /** Version of the router that is called: the inputs' layout depends on it. */
  version: string
  side: 'exact-in' | 'exact-out'
  /** Tokens of the pool; the wrapped one where the chain's own coin is meant. */
  sell: Address
  buy: Address
  native: NativeSide
  pool: Quote['pool']
  fee: number
  /** What is paid: exactly, or at most where the output is exact. */
  amountIn: bigint
  /** What arrives: at least, or exactly where the output is exact. */
  amountOut: bigint
  recipient: Address
  /** The account that gets back what an exact output leaves over. */
  wallet: Address
  /** Unix seconds. */
  deadline: number
}>

type Command = Readonly<{ byte: Hex; input: Hex }>

/**
 * Calldata of `execute(bytes,bytes[],uint256)` for a swap.
 *
 * @see https://docs.uniswap.org/contracts/universal-router/technical-reference
 */
export function encodeSwap(plan: SwapPlan): Hex {
  const commands = [...before(plan), swap(plan), ...after(plan)]
  const bytes = concatHex(commands.map(({ byte }) => byte))
  const args = [bytes, commands.map(({ input }) => input), BigInt(plan.deadline)] as const
  return encodeFunctionData({ abi: EXECUTE, functionName: 'execute', args })
}

function before({ native, amountIn }: SwapPlan): readonly Command[] {
  return native === 'sell' ? [{ byte: COMMAND.wrap, input: encodeAbiParameters(AMOUNT_TO, [ROUTER, amountIn]) }] : []
}

function swap(plan: SwapPlan): Command {
  const { side, pool, native, amountIn, amountOut } = plan
  const recipient = native === 'buy' ? ROUTER : plan.recipient
  const [fixed, limit] = side === 'exact-in' ? [amountIn, amountOut] : [amountOut, amountIn]
  const payerIsUser = native !== 'sell'
  return { byte: COMMAND[pool][side], input: swapInput(plan, [recipient, fixed, limit, payerIsUser]) }
}

function after({ native, side, recipient, wallet, amountOut }: SwapPlan): readonly Command[] {
  if (native === 'buy') return [{ byte: COMMAND.unwrap, input: encodeAbiParameters(AMOUNT_TO, [recipient, amountOut]) }]
  // What was wrapped and not needed goes back to the wallet.
  if (native === 'sell' && side === 'exact-out')
    return [{ byte: COMMAND.unwrap, input: encodeAbiParameters(AMOUNT_TO, [wallet, 0n]) }]
  return []
}

const V3_INPUT = 'address recipient, uint256 fixed, uint256 limit, bytes path, bool payerIsUser'
const V2_INPUT = 'address recipient, uint256 fixed, uint256 limit, address[] path, bool payerIsUser'
const V3_20 = parseAbiParameters(V3_INPUT)
const V2_20 = parseAbiParameters(V2_INPUT)
/** From 2.1 on each input ends in a list of lowest prices per hop; an empty one sets none. */
const V3_21 = parseAbiParameters(`${V3_INPUT}, uint256[] minHopPriceX36`)
const V2_21 = parseAbiParameters(`${V2_INPUT}, uint256[] minHopPriceX36`)

function swapInput(
  plan: SwapPlan,
  [recipient, fixed, limit, payerIsUser]: readonly [Address, bigint, bigint, boolean],
): Hex {
  const { version, pool, side, sell, buy, fee } = plan
  const priced = version !== '1.2' && version !== '2.0'
  if (pool === 'v2') {
    const path = [sell, buy]
    if (!priced) return encodeAbiParameters(V2_20, [recipient, fixed, limit, path, payerIsUser])
    return encodeAbiParameters(V2_21, [recipient, fixed, limit, path, payerIsUser, []])
  }
  // A path of an exact output is written from its end.
  const [first, last] = side === 'exact-in' ? [sell, buy] : [buy, sell]
  const path = encodePacked(['address', 'uint24', 'address'], [first, fee, last])
  if (!priced) return encodeAbiParameters(V3_20, [recipient, fixed, limit, path, payerIsUser])
  return encodeAbiParameters(V3_21, [recipient, fixed, limit, path, payerIsUser, []])
}
