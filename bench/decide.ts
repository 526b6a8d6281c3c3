import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { performance } from 'node:perf_hooks'
import type * as universalRouterSdk from '@uniswap/universal-router-sdk'
import { AbiCoder, Interface } from 'ethers'
import { measure } from 'mitata'
import { decodeAbiParameters, decodeFunctionData, parseAbi, parseAbiParameters } from 'viem'
import { actionHashOf } from '../src/policy/action-hash.ts'
import { decode } from '../src/policy/decode.ts'
import { type Evaluation, evaluate, judge } from '../src/policy/evaluate.ts'
import type { Facts } from '../src/policy/facts.ts'
import { addressesOf } from '../src/policy/source.ts'
import { Policy } from '../src/schema/policy.ts'
import type { Verdict } from '../src/schema/verdict.ts'
import { type Bench, duration, type Row } from './measure.ts'
import { EXECUTE, INPUTS, swapOfThree, WALLET } from './swap-of-three.ts'

// The SDK's ES modules name files without their endings, which Node does not find.
const { CommandParser } = createRequire(import.meta.url)('@uniswap/universal-router-sdk') as typeof universalRouterSdk

/** What is decided. */
export const tx = swapOfThree()
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'

/** Every limit that applies to a swap is set, so that every check that can run does. */
export const policy = Policy.parse({
  venues: { allow: ['uniswap'] },
  chains: { allow: [1] },
  contracts: { allow: [{ chainId: 1, address: tx.to }] },
  assets: {
    allow: [
      { chainId: 1, address: 'native' },
      { chainId: 1, address: USDC },
    ],
  },
  recipients: { allow: [] },
  sides: { allow: ['buy', 'sell'] },
  slippage: { maxBps: 500 },
  caps: { perTxUsd: 5_000, outflow24hUsd: 20_000 },
})

function evaluation(): Evaluation {
  const decoded = decode(tx, WALLET)
  assert.ok(decoded.ok)
  return {
    protocol: tx.protocol,
    chainId: tx.chainId,
    wallet: WALLET,
    actionHash: actionHashOf(tx),
    decoded,
    policy: { version: 1, policy },
    facts: factsOf(addressesOf(decoded.value)),
    review: null,
    at: new Date('2026-11-21T00:00:00.000Z'),
    latencyMs: 1,
  }
}

function factsOf(screened: ReturnType<typeof addressesOf>): Facts {
  const observedAt = '2026-11-21T00:00:00.000Z'
  const had = { status: 'fresh', observedAt } as const
  const price = (dollars: bigint) => ({ usdE8: String(dollars * 10n ** 8n), source: 'feed', updatedAt: observedAt })
  const token = (symbol: string, decimals: number, stable: boolean) => ({ symbol, decimals, listed: true, stable })
  return {
    tokens: { ...had, source: 'tokens', value: { native: token('ETH', 18, false), [USDC]: token('USDC', 6, true) } },
    prices: { ...had, source: 'prices', value: { native: price(3_000n), [USDC]: price(1n) } },
    sanctions: { ...had, source: 'sanctions', value: { screened, hits: [] } },
    outflow24h: { ...had, source: 'ledger', value: { microUsd: '1000000' } },
  }
}

/** The verdict on it: approved. */
export function approvedSwap(): Verdict {
  const verdict = evaluate(evaluation())
  assert.equal(verdict.outcome, 'approved', verdict.humanReason)
  return verdict
}

/** What stands between the bytes and the answer, beside what others need to read the same bytes alone. */
export const deciding: Bench = {
  title: 'Deciding a swap of three commands',
  about:
    'Universal Router 2.0: wrap, swap, sweep, against a policy that limits everything a swap can break; facts in memory. The others read parameters and decide nothing.',
  async run() {
    const given = evaluation()
    approvedSwap()
    const abi = parseAbi([EXECUTE])
    const inputs = INPUTS.map((text) => parseAbiParameters(text))
    const ethers = new Interface([EXECUTE])
    const types = INPUTS.map((text) => text.split(', ').map((part) => part.split(' ')[0] ?? ''))
    return [
      await row('countersign: decode + 15 checks', () => judge({ ...given, decoded: decode(tx, WALLET) })),
      await row('countersign: decode alone', () => decode(tx, WALLET)),
      await row('countersign: the whole verdict with its evidence', () =>
        evaluate({ ...given, actionHash: actionHashOf(tx), decoded: decode(tx, WALLET) }),
      ),
      await row('viem `decodeFunctionData`: the outer call alone', () => decodeFunctionData({ abi, data: tx.data })),
      await row('viem: the outer call and the three inputs', () => {
        const { args } = decodeFunctionData({ abi, data: tx.data })
        return inputs.map((parameters, i) => decodeAbiParameters(parameters, args[1][i] ?? '0x'))
      }),
      await row('ethers v6: the outer call and the three inputs', () => {
        const [, encoded] = ethers.decodeFunctionData('execute', tx.data)
        return types.map((list, i) => AbiCoder.defaultAbiCoder().decode(list, encoded[i]))
      }),
      await row("the venue SDK's `CommandParser`", () => CommandParser.parseCalldata(tx.data)),
    ]
  },
}

const WARM_UP_MS = 1_500

async function row(what: string, run: () => unknown): Promise<Row> {
  // As long as the compiler still works on it, a run measures the compiler.
  for (const end = performance.now() + WARM_UP_MS; performance.now() < end; ) run()
  const { p50, samples } = await measure(run, { min_cpu_time: 1_000e6 })
  const p95 = samples[Math.floor(samples.length * 0.95)] ?? p50
  return { what, median: duration(p50 / 1e6), p95: duration(p95 / 1e6) }
}
