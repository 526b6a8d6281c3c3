import {
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  numberToHex,
  parseAbi,
  stringToHex,
} from 'viem'
import { createChains } from '../../../src/chain/index.ts'
import type { Address } from '../../../src/lib/address.ts'
import type { Asset, DecodedAction, Flow, Grant } from '../../../src/policy/decoded-action.ts'
import { type Question, questionAbout } from '../../../src/policy/source.ts'
import { type Lie, type RpcStandIn, startRpcStandIn } from '../../support/rpc-stand-in.ts'

export const WALLET: Address = '0x1000000000000000000000000000000000000001'
export const TARGET: Address = '0x2000000000000000000000000000000000000002'
export const WETH: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
export const USDC: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
/** In no list. */
export const OBSCURE: Address = '0x3000000000000000000000000000000000000003'

/** Selectors of what sources ask. */
export const LATEST_ROUND_DATA = '0xfeaf968c'
export const DECIMALS = '0x313ce567'
export const DESCRIPTION = '0x7284e416'
export const SYMBOL = '0x95d89b41'
export const IS_SANCTIONED = '0xdf592f7d'

/** What a call of a contract gets: bytes, or a fault. */
export type Answer = Exclude<Lie, string> | string

/** The one contract that every chain has. */
const MULTICALL3 = '0xca11bde05977b3631167028862be2a173976ca11'
const multicallAbi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] results)',
])

/**
 * A node whose contracts answer as they are told; every other call answers `0x`, as of an address without code. Of
 * what is asked in one call of Multicall3, each part is answered so, and one fault of the node is that of all.
 */
export type ContractsStandIn = Readonly<{
  node: RpcStandIn
  /** What a call of these data at an address gets, whatever its block. */
  answer(to: Address, data: string, answer: Answer): void
  /** How many eth_calls have arrived. */
  reads(): number
}>

export async function startContracts(chainId = 1): Promise<ContractsStandIn> {
  const node = await startRpcStandIn({ chainId })
  const told = new Map<string, Lie>()
  const tell = (to: string, data: string): Lie => told.get(`${to}${data}`) ?? { result: '0x' }
  node.lie('eth_call', ([call]) => {
    const { to, data } = call as { to: string; data: Hex }
    return to === MULTICALL3 && !told.has(MULTICALL3) ? together(data, tell) : tell(to, data)
  })
  return {
    node,
    answer: (to, data, answer) => void told.set(`${to}${data}`, isLie(answer) ? answer : { result: answer }),
    reads: () => node.calls.filter(({ method }) => method === 'eth_call').length,
  }
}

function together(data: Hex, tell: (to: string, data: string) => Lie): Lie {
  const { args } = decodeFunctionData({ abi: multicallAbi, data })
  const lies = args[0].map(({ target, callData }) => tell(target.toLowerCase(), callData))
  const reverted = (lie: Lie) => typeof lie === 'object' && 'error' in lie && lie.error.code === 3
  const fault = lies.find((lie) => !reverted(lie) && !(typeof lie === 'object' && isBytes(lie)))
  if (fault !== undefined) return fault
  const result = lies.map((lie) => ({ success: !reverted(lie), returnData: isBytes(lie) ? lie.result : ('0x' as Hex) }))
  return { result: encodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', result }) }
}

function isBytes(lie: Lie): lie is Readonly<{ result: Hex }> {
  return typeof lie === 'object' && 'result' in lie && /^0x([0-9a-f]{2})*$/.test(String(lie.result))
}

function isLie(answer: Answer): answer is Lie {
  return typeof answer !== 'string' || !answer.startsWith('0x')
}

/** Clients of nodes by chain id, with short time limits. */
export function clientsOf(nodes: Readonly<Record<number, { url: string }>>) {
  const settings = Object.entries(nodes).map(([id, { url }]) => ({ id: Number(id), name: `chain ${id}`, rpcUrl: url }))
  return createChains(settings, { timeoutMs: 1_000 })
}

export function uint(value: bigint | number): Hex {
  return numberToHex(BigInt.asUintN(256, BigInt(value)), { size: 32 })
}

export function text(value: string): Hex {
  return encodeAbiParameters([{ type: 'string' }], [value])
}

/** A string the way tokens of 2017 answer. */
export function bytes32(value: string): Hex {
  return stringToHex(value, { size: 32 })
}

/** An answer of `latestRoundData()`. */
export function round(answer: bigint, updatedAt: number, startedAt = updatedAt): Hex {
  return encodeAbiParameters(
    [{ type: 'uint80' }, { type: 'int256' }, { type: 'uint256' }, { type: 'uint256' }, { type: 'uint80' }],
    [1n, answer, BigInt(startedAt), BigInt(updatedAt), 1n],
  )
}

export function flow(asset: Asset, party: Address = WALLET): Flow {
  return { asset, amount: 1n, bound: 'exact', party }
}

type Sketch = Readonly<{
  chainId?: number
  spends?: readonly Flow[]
  receives?: readonly Flow[]
  grants?: readonly Grant[]
  touches?: readonly Address[]
}>

/** A question about an action with one leg. */
export function question(sketch: Sketch): Question {
  return questionAbout(actionOf(sketch), new AbortController().signal)
}

function actionOf({ chainId = 1, spends = [], receives = [], grants = [], touches = [] }: Sketch): DecodedAction {
  return {
    protocol: 'uniswap',
    chainId,
    wallet: WALLET,
    target: TARGET,
    selector: '0x3593564c',
    legs: [{ kind: 'swap', venue: 'uniswap', spends, receives, grants, deadline: null }],
    touches,
    trailingBytes: 0,
  }
}
