import { ok, type Result, refuse } from '../lib/result.ts'
import type { FeeHistory } from './chain-client.ts'

/** What a transaction may cost at most, in wei and gas. Absolute: no answer of a node raises them. */
export type FeeCaps = Readonly<{
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  gasLimit: bigint
  /** Gas limit times fee: the most that can be burnt. */
  cost: bigint
  /** The tip where recent blocks say less. */
  minPriorityFeePerGas: bigint
}>

/** The fees of a transaction: wei for each gas, and gas. */
export type Fees = Readonly<{ maxFeePerGas: bigint; maxPriorityFeePerGas: bigint; gasLimit: bigint }>

const MWEI = 1_000_000n
const GWEI = 1_000n * MWEI
const FINNEY = MWEI * GWEI

const ETHEREUM: FeeCaps = {
  maxFeePerGas: 500n * GWEI,
  maxPriorityFeePerGas: 50n * GWEI,
  gasLimit: 3_000_000n,
  cost: 100n * FINNEY,
  minPriorityFeePerGas: 10n * MWEI,
}

const ROLLUP: FeeCaps = {
  maxFeePerGas: 50n * GWEI,
  maxPriorityFeePerGas: 5n * GWEI,
  gasLimit: 5_000_000n,
  cost: 20n * FINNEY,
  minPriorityFeePerGas: MWEI,
}

const POLYGON: FeeCaps = {
  maxFeePerGas: 5_000n * GWEI,
  maxPriorityFeePerGas: 1_000n * GWEI,
  gasLimit: 3_000_000n,
  cost: 10_000n * FINNEY,
  minPriorityFeePerGas: 25n * GWEI,
}

/** Tips go nowhere on HyperEVM, and a small block has 2,000,000 gas. */
const HYPER_EVM: FeeCaps = {
  maxFeePerGas: 500n * GWEI,
  maxPriorityFeePerGas: 0n,
  gasLimit: 2_000_000n,
  cost: 500n * FINNEY,
  minPriorityFeePerGas: 0n,
}

const CAPS: ReadonlyMap<number, FeeCaps> = new Map([
  [8453, ROLLUP],
  [42161, ROLLUP],
  [137, POLYGON],
  [999, HYPER_EVM],
])

/** The caps of a chain; Ethereum's where the chain has none of its own. */
export function feeCapsOf(chainId: number): FeeCaps {
  return CAPS.get(chainId) ?? ETHEREUM
}

/** What fees are made from: the node's own words, none of them trusted. */
export type FeeEvidence = Readonly<{ history: FeeHistory; gasEstimate: bigint }>

/**
 * Fees for a transaction that should be mined soon: twice the next block's base fee and the median recent tip, and a
 * fifth more gas than estimated. Whatever lies above a cap is refused, never lowered to it: a node that asks for too
 * much is wrong or lying, and a transaction below what it needs would be stuck.
 */
export function proposeFees({ history, gasEstimate }: FeeEvidence, caps: FeeCaps): Result<Fees> {
  const baseFee = history.baseFeesPerGas.at(-1)
  if (baseFee === undefined) return refuse('The RPC gives no base fee.')
  const tip = max(caps.maxPriorityFeePerGas === 0n ? 0n : median(history.tips), caps.minPriorityFeePerGas)
  const fees: Fees = {
    maxFeePerGas: 2n * baseFee + tip,
    maxPriorityFeePerGas: tip,
    gasLimit: (gasEstimate * 12n + 9n) / 10n,
  }
  const cost = fees.gasLimit * fees.maxFeePerGas
  if (tip > caps.maxPriorityFeePerGas) return above('A tip', tip, caps.maxPriorityFeePerGas, 'wei for each gas')
  if (fees.maxFeePerGas > caps.maxFeePerGas)
    return above('A fee', fees.maxFeePerGas, caps.maxFeePerGas, 'wei for each gas')
  if (fees.gasLimit < 21_000n) return refuse(`A gas limit of ${fees.gasLimit} is below what any transaction needs.`)
  if (fees.gasLimit > caps.gasLimit) return above('A gas limit', fees.gasLimit, caps.gasLimit, 'gas')
  if (cost > caps.cost) return above('A cost', cost, caps.cost, 'wei')
  return ok(fees)
}

function above(what: string, value: bigint, cap: bigint, unit: string): Result<never> {
  return refuse(`${what} of ${value} ${unit} is above the cap of ${cap}.`)
}

function median(values: readonly bigint[]): bigint {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[Math.floor(sorted.length / 2)] ?? 0n
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
