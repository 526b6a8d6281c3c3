import type { ChainCall, ChainClient, Chains, ManyResults } from '../chain/index.ts'
import { CountersignError } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import type { Result } from '../lib/result.ts'
import { contractOf } from '../registry/index.ts'
import { answersOf, multicallOf } from './multicall.ts'

/**
 * Asks contracts of a chain together, against one block, in one call where the chain has Multicall3. A call that
 * reverts is a refusal at its place.
 *
 * @throws CountersignError `unavailable` where no RPC is configured for the chain, or it does not answer
 */
export async function readContracts(
  chains: Chains,
  chainId: number,
  calls: readonly ChainCall[],
  signal: AbortSignal,
): Promise<readonly Result<Hex>[]> {
  return (await readAll(clientOf(chains, chainId), calls, signal)).results
}

/** How far behind our clock a node's latest block may be, in seconds, before what it says is of the past. */
const MAX_BEHIND_SECONDS = 900

/**
 * The same of the present: the block that is read is not older than 15 minutes. For what carries no date of its own.
 *
 * @throws CountersignError `unavailable` as `readContracts`, and where the node is behind
 */
export async function readPresent(
  chains: Chains,
  chainId: number,
  calls: readonly ChainCall[],
  { signal, now }: Readonly<{ signal: AbortSignal; now: () => Date }>,
): Promise<readonly Result<Hex>[]> {
  const { block, results } = await readAll(clientOf(chains, chainId), calls, signal)
  const behind = Math.floor(now().getTime() / 1000) - block.timestamp
  if (behind <= MAX_BEHIND_SECONDS) return results
  throw new CountersignError('unavailable', `The node of chain ${chainId} is ${behind} s behind.`)
}

/** How many things one call of Multicall3 asks: far from the gas that nodes give a call. */
const MAX_TOGETHER = 100

/** In calls of Multicall3, where the chain has it and there is more than one thing to ask. */
async function readAll(client: ChainClient, calls: readonly ChainCall[], signal: AbortSignal): Promise<ManyResults> {
  const multicall = calls.length > 1 ? contractOf(client.id, 'multicall3') : undefined
  if (multicall === undefined) return client.readMany(calls, { signal })
  const parts = Array.from({ length: Math.ceil(calls.length / MAX_TOGETHER) }, (_, i) =>
    calls.slice(i * MAX_TOGETHER, (i + 1) * MAX_TOGETHER),
  )
  const asked = parts.map((part) => ({ to: multicall, data: multicallOf(part) }))
  const { block, results } = await client.readMany(asked, { signal })
  if (results.some((answer) => !answer.ok || answer.value === '0x')) return client.readMany(calls, { signal })
  const read = parts.flatMap((part, i) => answersIn(client, results[i], part.length))
  return { block, results: read }
}

function answersIn(client: ChainClient, answer: Result<Hex> | undefined, count: number): readonly Result<Hex>[] {
  const answers = answersOf(answer?.ok ? answer.value : '0x', count)
  if (answers.ok) return answers.value
  throw new CountersignError('unavailable', `The node of chain ${client.id} failed: ${answers.reason}.`)
}

function clientOf(chains: Chains, chainId: number): ChainClient {
  const client = chains.of(chainId)
  if (client === undefined) throw new CountersignError('unavailable', `No RPC is configured for chain ${chainId}.`)
  return client
}

/** The words of an answer, if it has exactly so many. */
export function wordsOf(answer: Result<Hex> | undefined, count: number): readonly bigint[] | undefined {
  if (!answer?.ok || answer.value.length !== 2 + 64 * count) return undefined
  return Array.from({ length: count }, (_, i) => wordAt(answer.value, i))
}

/** The longest text that is read, in bytes: enough for any symbol or description that is one. */
const MAX_TEXT_BYTES = 256

/**
 * The text of an answer: a string of the ABI, or the zero-padded bytes32 of early tokens. Nothing where it is neither,
 * is not UTF-8, or is longer than 256 bytes.
 */
export function textOf(answer: Result<Hex> | undefined): string | undefined {
  if (!answer?.ok) return undefined
  const bytes = Buffer.from(answer.value.slice(2), 'hex')
  if (bytes.length === 32) return utf8(bytes.subarray(0, endOf(bytes)))
  if (bytes.length < 64 || wordAt(answer.value, 0) !== 32n) return undefined
  const length = wordAt(answer.value, 1)
  if (length > BigInt(Math.min(MAX_TEXT_BYTES, bytes.length - 64))) return undefined
  return utf8(bytes.subarray(64, 64 + Number(length)))
}

function wordAt(data: Hex, index: number): bigint {
  return BigInt(`0x${data.slice(2 + 64 * index, 2 + 64 * (index + 1))}`)
}

function endOf(bytes: Buffer): number {
  const end = bytes.indexOf(0)
  return end === -1 ? bytes.length : end
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
