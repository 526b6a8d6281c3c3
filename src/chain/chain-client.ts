import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import type { Result } from '../lib/result.ts'
import type { AssetChange } from './asset-changes.ts'
import type { ReadOptions } from './node.ts'
import type { PoolTrade } from './pool-trades.ts'

/** A call that is never sent: calldata, and who would make it with how much of the chain's coin (wei). */
export type ChainCall = Readonly<{ to: Address; data: Hex; from?: Address; value?: bigint }>

/** A transaction of an account, as far as a simulation needs it. */
export type ProposedCall = Readonly<{ from: Address; to: Address; data: Hex; value: bigint }>

/** A block's number, time in Unix seconds, and base fee in wei (0 on chains without one). */
export type Block = Readonly<{ number: bigint; timestamp: number; baseFeePerGas: bigint }>

/** Fees of recent blocks in wei, oldest first: base fees, the next block's last, and the median tip of each block. */
export type FeeHistory = Readonly<{ baseFeesPerGas: readonly bigint[]; tips: readonly bigint[] }>

/** What became of a mined transaction. */
export type Receipt = Readonly<{
  txHash: Hex
  status: 'success' | 'reverted'
  blockNumber: bigint
  blockHash: Hex
  from: Address
  gasUsed: bigint
}>

/** A transaction that a node knows. `blockNumber` is null while it waits to be mined. */
export type KnownTransaction = Readonly<{ hash: Hex; from: Address; nonce: number; blockNumber: bigint | null }>

/** What a node said to signed bytes. Anything but acceptance proves nothing and is looked up by hash. */
export type Broadcast = Readonly<{ accepted: true }> | Readonly<{ accepted: false; code: number; message: string }>

/** Several calls' results, and the block they were all made against. */
export type ManyResults = Readonly<{ block: Block; results: readonly Result<Hex>[] }>

/**
 * What a transaction would do now. `gasUsed` and `assetChanges` are null where the node can run a call but not trace
 * it: then it is known only that the call does not revert.
 */
export type Simulation =
  | Readonly<{ ok: true; gasUsed: bigint | null; assetChanges: readonly AssetChange[] | null }>
  | Readonly<{ ok: false; reason: string }>

/** What one call of a sequence would return, and the trades in pools that it would make; or why it fails. */
export type SequencedCall =
  | Readonly<{ ok: true; data: Hex; trades: readonly PoolTrade[] }>
  | Readonly<{ ok: false; reason: string }>

/**
 * The narrow view of one chain. Every answer is checked against a schema, every call has a time limit, and the node's
 * chain id was compared with the configured one before anything else was asked. All methods throw `CountersignError`
 * `unavailable`, without the node's URL, where it fails, answers in the wrong shape or is of another chain.
 */
export type ChainClient = Readonly<{
  id: number
  name: string
  /** Compares the node's chain id with the configured one, now rather than at the first read. */
  verify(options?: ReadOptions): Promise<void>
  /** What a call returns; a revert is a refusal with its reason. At the latest block unless another is named. */
  call(call: ChainCall, options?: ReadOptions & Readonly<{ block?: bigint }>): Promise<Result<Hex>>
  /** Several calls against one and the same block; on HyperEVM, whose nodes keep one alone, against the latest. */
  readMany(calls: readonly ChainCall[], options?: ReadOptions): Promise<ManyResults>
  /** Balance of the chain's own coin in wei; `pending` counts transactions that wait. */
  balanceOf(address: Address, tag?: 'latest' | 'pending', options?: ReadOptions): Promise<bigint>
  blockNumber(options?: ReadOptions): Promise<bigint>
  /** The latest block. */
  block(options?: ReadOptions): Promise<Block>
  /** The nonce that comes next after the mined transactions, or after those that wait too. */
  transactionCount(address: Address, tag: 'latest' | 'pending', options?: ReadOptions): Promise<number>
  /** Fees of the latest `blocks` blocks. */
  feeHistory(blocks: number, options?: ReadOptions): Promise<FeeHistory>
  /** Gas that a transaction needs; a revert is a refusal with its reason. */
  estimateGas(call: ProposedCall, options?: ReadOptions): Promise<Result<bigint>>
  /** Runs a transaction on the latest state, without sending it. */
  simulate(call: ProposedCall, options?: ReadOptions): Promise<Simulation>
  /**
   * Runs calls after each other on the latest state, each on what those before it left; null where the node cannot. A
   * refusal says why none of them could be run.
   */
  simulateSequence(calls: readonly ChainCall[], options?: ReadOptions): Promise<Result<readonly SequencedCall[]> | null>
  /** Gives signed bytes to the node. A throw leaves open whether they arrived. */
  sendRaw(raw: Hex, options?: ReadOptions): Promise<Broadcast>
  /** The receipt of a transaction, null while there is none. */
  receipt(hash: Hex, options?: ReadOptions): Promise<Receipt | null>
  /** The transaction of a hash, null where the node does not know it. */
  transactionByHash(hash: Hex, options?: ReadOptions): Promise<KnownTransaction | null>
}>
