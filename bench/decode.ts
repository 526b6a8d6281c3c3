import assert from 'node:assert/strict'
import { measure } from 'mitata'
import {
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { decode } from '../src/policy/decode.ts'
import { contractOf, wrappedNative } from '../src/registry/index.ts'
import { type Bench, duration, type Row } from './measure.ts'

const WALLET = '0x00000000000000000000000000000000000a11ce'
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const ROUTER_AS_RECIPIENT = '0x0000000000000000000000000000000000000002'
const SENDER_AS_RECIPIENT = '0x0000000000000000000000000000000000000001'

const abi = parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline) payable'])
const WRAP = parseAbiParameters('address recipient, uint256 amount')
const SWAP = parseAbiParameters(
  'address recipient, uint256 amountIn, uint256 amountOutMin, bytes path, bool payerIsUser',
)
const SWEEP = parseAbiParameters('address token, address recipient, uint256 amountMin')

/** Wraps 1 ETH, swaps it for USDC in one pool, and sweeps the USDC to the wallet. */
function threeCommandSwap() {
  const router = contractOf(1, 'uniswap-universal-router', '2.0')
  const weth = wrappedNative(1)
  assert.ok(router && weth)
  const amount = 10n ** 18n
  const path = `0x${weth.slice(2)}0001f4${USDC.slice(2)}` as const
  const inputs = [
    encodeAbiParameters(WRAP, [ROUTER_AS_RECIPIENT, amount]),
    encodeAbiParameters(SWAP, [ROUTER_AS_RECIPIENT, amount, 0n, path, false]),
    encodeAbiParameters(SWEEP, [USDC, SENDER_AS_RECIPIENT, 2_900_000_000n]),
  ]
  const data = encodeFunctionData({ abi, functionName: 'execute', args: ['0x0b0004', inputs, 1_900_000_000n] })
  return { protocol: 'uniswap', chainId: 1, to: router, value: `0x${amount.toString(16)}`, data }
}

/** Our decoding beside viem's, of the same bytes in the same run. */
export const decoding: Bench = {
  title: 'Decoding a swap of three commands',
  about:
    "Universal Router 2.0: wrap, swap, sweep. Ours reads every byte, checks the encoding and works out the net effect; viem's reads the parameters alone.",
  async run() {
    const tx = threeCommandSwap()
    const decoded = decode(tx, WALLET)
    assert.ok(decoded.ok, decoded.ok ? undefined : decoded.reason)
    return [
      await row('countersign `decode`: the whole action, its legs and guards', () => decode(tx, WALLET)),
      await row('viem `decodeFunctionData`: the outer call alone', () => decodeFunctionData({ abi, data: tx.data })),
      await row('viem: the outer call and the three inputs', () => {
        const { args } = decodeFunctionData({ abi, data: tx.data })
        return [WRAP, SWAP, SWEEP].map((parameters, i) => decodeAbiParameters(parameters, args[1][i] ?? '0x'))
      }),
    ]
  },
}

async function row(what: string, run: () => unknown): Promise<Row> {
  const { p50, samples } = await measure(run, { min_cpu_time: 500e6 })
  const p95 = samples[Math.floor(samples.length * 0.95)] ?? p50
  return { what, median: duration(p50 / 1e6), p95: duration(p95 / 1e6) }
}
