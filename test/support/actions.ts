// Actions of one wallet on Ethereum, as bytes that its contracts would take, and facts about them.
import assert from 'node:assert/strict'
import { encodeAbiParameters, encodeFunctionData, encodePacked, parseAbi, parseAbiParameters } from 'viem'
import { type Address, toAddress } from '../../src/lib/address.ts'
import type { Hex } from '../../src/lib/hash.ts'
import { decode } from '../../src/policy/decode.ts'
import type { Asset, DecodedAction } from '../../src/policy/decoded-action.ts'
import type { Facts } from '../../src/policy/facts.ts'
import { addressesOf, assetsOf } from '../../src/policy/source.ts'
import type { EvmTx } from '../../src/schema/action.ts'

export const WALLET: Address = '0x00000000000000000000000000000000000a11ce'
export const FRIEND: Address = '0x0000000000000000000000000000000000f41e4d'
export const STRANGER: Address = '0x00000000000000000000000000000000deadbeef'
export const USDC: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
export const DAI: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
export const WETH: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
export const PERMIT2: Address = '0x000000000022d473030f116ddee9f6b43ac78ba3'
export const SWAP_ROUTER_02: Address = '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45'
export const UNIVERSAL_ROUTER: Address = '0x66a9893cc07d91d95644aedd05d03f95e1dba8af'

const ETHER = 10n ** 18n

const abi = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function transferFrom(address from, address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function deposit() payable',
  'function withdraw(uint256 amount)',
  'struct ExactIn { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(ExactIn params) payable',
  'struct ExactOut { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountOut; uint256 amountInMaximum; uint160 sqrtPriceLimitX96; }',
  'function exactOutputSingle(ExactOut params) payable',
  'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable',
])

type Fields = Readonly<{ protocol?: string; value?: bigint }>

function call(to: Address, data: Hex, { protocol = 'evm', value = 0n }: Fields = {}): EvmTx {
  return { protocol, chainId: 1, to, data, value: `0x${value.toString(16)}` }
}

export function sendNative(to: Address, value: bigint): EvmTx {
  return call(to, '0x', { protocol: 'native', value })
}

export function transfer(token: Address, to: Address, amount: bigint): EvmTx {
  return call(token, encodeFunctionData({ abi, functionName: 'transfer', args: [to, amount] }))
}

export function transferFrom(token: Address, from: Address, to: Address, amount: bigint): EvmTx {
  return call(token, encodeFunctionData({ abi, functionName: 'transferFrom', args: [from, to, amount] }))
}

export function approveToken(token: Address, spender: Address, amount: bigint): EvmTx {
  return call(token, encodeFunctionData({ abi, functionName: 'approve', args: [spender, amount] }))
}

export function wrap(value: bigint): EvmTx {
  return call(WETH, encodeFunctionData({ abi, functionName: 'deposit' }), { value })
}

export function unwrap(amount: bigint): EvmTx {
  return call(WETH, encodeFunctionData({ abi, functionName: 'withdraw', args: [amount] }))
}

type Swap = Readonly<{ sell?: Address; buy?: Address; amountIn?: bigint; minOut?: bigint; to?: Address }>

/** 100 USDC for at least 0.0331 WETH (99.3 US dollars at 3,000) to the wallet, but for what is said otherwise. */
export function swap({
  sell = USDC,
  buy = WETH,
  amountIn = 100_000_000n,
  minOut = (331n * ETHER) / 10_000n,
  to = WALLET,
}: Swap = {}): EvmTx {
  const args = [
    {
      tokenIn: sell,
      tokenOut: buy,
      fee: 500,
      recipient: to,
      amountIn,
      amountOutMinimum: minOut,
      sqrtPriceLimitX96: 0n,
    },
  ] as const
  const data = encodeFunctionData({ abi, functionName: 'exactInputSingle', args })
  return call(SWAP_ROUTER_02, data, { protocol: 'uniswap' })
}

/** So much WETH for at most so much USDC. */
export function buyWeth(amountOut: bigint, amountInMaximum: bigint): EvmTx {
  const pool = { tokenIn: USDC, tokenOut: WETH, fee: 500, recipient: WALLET, sqrtPriceLimitX96: 0n } as const
  const args = [{ ...pool, amountOut, amountInMaximum }] as const
  const data = encodeFunctionData({ abi, functionName: 'exactOutputSingle', args })
  return call(SWAP_ROUTER_02, data, { protocol: 'uniswap' })
}

const PERMIT = parseAbiParameters([
  'PermitSingle permit, bytes signature',
  'struct PermitSingle { PermitDetails details; address spender; uint256 sigDeadline; }',
  'struct PermitDetails { address token; uint160 amount; uint48 expiration; uint48 nonce; }',
])
const V3_SWAP = parseAbiParameters('address, uint256, uint256, bytes, bool')

/** Two legs: a permit of Permit2 to a spender, and a swap like the one above, in one plan of the Universal Router. */
export function permitAndSwap(
  spender: Address,
  { amountIn = 100_000_000n, minOut = 0n, to = WALLET }: Swap = {},
): EvmTx {
  const details = { token: USDC, amount: amountIn, expiration: 1_900_000_000, nonce: 0 }
  const permit = { details, spender, sigDeadline: 1_900_000_000n }
  const path = encodePacked(['address', 'uint24', 'address'], [USDC, 500, WETH])
  const inputs = [
    encodeAbiParameters(PERMIT, [permit, `0x${'11'.repeat(65)}`]),
    encodeAbiParameters(V3_SWAP, [to, amountIn, minOut, path, true]),
  ]
  const data = encodeFunctionData({ abi, functionName: 'execute', args: ['0x0a00', inputs, 1_900_000_000n] })
  return call(UNIVERSAL_ROUTER, data, { protocol: 'uniswap' })
}

/** What the bytes do, which must be understood. */
export function decoded(tx: EvmTx, wallet = WALLET): DecodedAction {
  const result = decode(tx, wallet)
  assert.ok(result.ok, result.ok ? '' : result.reason)
  return result.value
}

/** A moment at which every fact of a test was observed. */
export const OBSERVED_AT = '2026-11-21T00:00:00.000Z'

const TOKENS = {
  native: { symbol: 'ETH', decimals: 18, listed: true, stable: false },
  [USDC]: { symbol: 'USDC', decimals: 6, listed: true, stable: true },
  [DAI]: { symbol: 'DAI', decimals: 18, listed: true, stable: true },
  [WETH]: { symbol: 'WETH', decimals: 18, listed: true, stable: false },
} as const
const PRICES = { native: 3_000, [USDC]: 1, [DAI]: 1, [WETH]: 3_000 } as const

export function priceOf(dollars: number) {
  return { usdE8: String(Math.round(dollars * 1e8)), source: 'a feed', updatedAt: OBSERVED_AT }
}

function about<T extends object, V>(table: T, assets: readonly Asset[], value: (known: T[keyof T]) => V) {
  const own = (asset: Asset) => (asset in table ? value(table[asset as keyof T]) : null)
  return Object.fromEntries(assets.map((asset) => [asset, own(asset)])) as Partial<Record<Asset, V | null>>
}

/** All facts about an action: ETH is worth 3,000 US dollars, USDC and DAI one; nobody is sanctioned; nothing left before. */
export function factsOf(action: DecodedAction): Required<Omit<Facts, 'markets' | 'margin' | 'standing'>> {
  const assets = assetsOf(action)
  const observed = { status: 'fresh', observedAt: OBSERVED_AT } as const
  return {
    tokens: { ...observed, source: 'token-identity', value: about(TOKENS, assets, (token) => token) },
    prices: { ...observed, source: 'usd-price', value: about(PRICES, assets, priceOf) },
    sanctions: { ...observed, source: 'sanctions', value: { screened: addressesOf(action), hits: [] } },
    outflow24h: { ...observed, source: 'ledger', value: { microUsd: '0' } },
    positions: { ...observed, source: 'positions', value: { accounts: [] } },
  }
}

/** A fact that could not be had. */
export function unavailable(source: string) {
  return { status: 'unavailable', source, reason: 'There was no answer within 6000 ms.' } as const
}

export function addressOf(text: string): Address {
  return toAddress(text)
}
