import { hexToBigInt, slice, toEventSelector } from 'viem/utils'
import { type Address, toAddress, ZERO_ADDRESS } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { wrappedNative } from '../registry/index.ts'
import type { LogAnswer } from './rpc-answers.ts'

/** An asset that would change hands: `amount` in its smallest unit; 1 for a token that is one of a kind. */
export type AssetChange = Readonly<{ asset: Address | 'native'; from: Address; to: Address; amount: bigint }>

/** Where nodes log the chain's own coin when transfers are traced (execution-apis, `eth_simulateV1`). */
const NATIVE_LOG: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const TRANSFER_SINGLE = toEventSelector('TransferSingle(address,address,address,uint256,uint256)')
const TRANSFER_BATCH = toEventSelector('TransferBatch(address,address,address,uint256[],uint256[])')
const DEPOSIT = toEventSelector('Deposit(address,uint256)')
const WITHDRAWAL = toEventSelector('Withdrawal(address,uint256)')

/** The asset changes that the logs of a simulated call tell of. Logs of other events say nothing and are left out. */
export function assetChangesOf(chainId: number, logs: readonly LogAnswer[]): readonly AssetChange[] {
  return logs.flatMap((log) => assetChange(chainId, log) ?? [])
}

function assetChange(chainId: number, { address, topics, data }: LogAnswer): AssetChange | undefined {
  const [event, first, second, third] = topics
  if (event === undefined || first === undefined) return undefined
  const asset = address === NATIVE_LOG ? 'native' : address
  if (event === TRANSFER && second !== undefined) {
    // A fourth topic is the id of a token that is one of a kind.
    const amount = third === undefined ? wordOf(data) : 1n
    return { asset, from: account(first), to: account(second), amount }
  }
  // Tokens of many kinds in one contract: counted as one, which no decoded spend allows for.
  if ((event === TRANSFER_SINGLE || event === TRANSFER_BATCH) && second !== undefined && third !== undefined)
    return { asset, from: account(second), to: account(third), amount: 1n }
  // The wrapped coin mints and burns without a Transfer.
  if (address !== wrappedNative(chainId)) return undefined
  if (event === DEPOSIT) return { asset, from: ZERO_ADDRESS, to: account(first), amount: wordOf(data) }
  if (event === WITHDRAWAL) return { asset, from: account(first), to: ZERO_ADDRESS, amount: wordOf(data) }
  return undefined
}

/** What leaves an account on balance, by asset. What arrives of the same asset is taken off. */
export function outgoing(changes: readonly AssetChange[], account: Address): ReadonlyMap<Address | 'native', bigint> {
  const net = new Map<Address | 'native', bigint>()
  for (const { asset, from, to, amount } of changes) {
    if (from === account) net.set(asset, (net.get(asset) ?? 0n) + amount)
    if (to === account) net.set(asset, (net.get(asset) ?? 0n) - amount)
  }
  return new Map([...net].filter(([, amount]) => amount > 0n))
}

function account(topic: Hex): Address {
  return toAddress(slice(topic, 12))
}

function wordOf(data: Hex): bigint {
  return data.length >= 66 ? hexToBigInt(slice(data, 0, 32)) : 0n
}
