import assert from 'node:assert/strict'
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem'
import type { Address } from '../src/lib/address.ts'
import { contractOf, wrappedNative } from '../src/registry/index.ts'

/** Who swaps. */
export const WALLET: Address = '0x00000000000000000000000000000000000a11ce'
const USDC: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const ROUTER_AS_RECIPIENT = '0x0000000000000000000000000000000000000002'
const SENDER_AS_RECIPIENT = '0x0000000000000000000000000000000000000001'

/** The outer call, for decoders that want it. */
export const EXECUTE = 'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable'
/** The inputs of its three commands. */
export const INPUTS = [
  'address recipient, uint256 amount',
  'address recipient, uint256 amountIn, uint256 amountOutMin, bytes path, bool payerIsUser',
  'address token, address recipient, uint256 amountMin',
] as const

/** Universal Router 2.0: wraps 1 ETH, swaps it for USDC in one pool, and sweeps at least 2,900 USDC to the wallet. */
export function swapOfThree() {
  const router = contractOf(1, 'uniswap-universal-router', '2.0')
  const weth = wrappedNative(1)
  assert.ok(router && weth)
  const amount = 10n ** 18n
  const path = `0x${weth.slice(2)}0001f4${USDC.slice(2)}` as const
  const [wrap, swap, sweep] = INPUTS
  const inputs = [
    encodeAbiParameters(parseAbiParameters(wrap), [ROUTER_AS_RECIPIENT, amount]),
    encodeAbiParameters(parseAbiParameters(swap), [ROUTER_AS_RECIPIENT, amount, 0n, path, false]),
    encodeAbiParameters(parseAbiParameters(sweep), [USDC, SENDER_AS_RECIPIENT, 2_900_000_000n]),
  ]
  const args = ['0x0b0004', inputs, 1_900_000_000n] as const
  const data = encodeFunctionData({ abi: parseAbi([EXECUTE]), functionName: 'execute', args })
  return { protocol: 'uniswap', chainId: 1, to: router, value: `0x${amount.toString(16)}`, data }
}
