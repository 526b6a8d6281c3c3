// Several transactions in one: as a delegated account (ERC-7821), a Safe, Permit2 and Multicall3 take them.
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
  size,
} from 'viem'
import { contractOf } from '../../../src/registry/index.ts'
import { permit2Transfers } from '../encode.ts'
import type { Tx } from './transactions.ts'
import { WALLET } from './world.ts'

const ABI = parseAbi([
  'function execute(bytes32 mode, bytes data)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
  'function multiSend(bytes transactions)',
  'function aggregate3Value((address,bool,uint256,bytes)[]) payable',
])
const CALLS = [{ type: 'tuple[]', components: [{ type: 'address' }, { type: 'uint256' }, { type: 'bytes' }] }] as const
const NOBODY = '0x0000000000000000000000000000000000000000'
const ONE_BATCH: Hex = `0x01${'0'.repeat(62)}`

function contract(kind: string, version?: string): Address {
  const address = contractOf(1, kind, version)
  if (address === undefined) throw new Error(`${kind} is in no registry`)
  return address
}

const call = ({ to, value, data }: Tx) => [to as Address, BigInt(value), data as Hex] as const

/** One batch of the wallet's own account. */
export function ownBatch(txs: readonly Tx[]): Tx {
  const calls = encodeAbiParameters(CALLS, [txs.map(call)] as never)
  return {
    to: WALLET,
    data: encodeFunctionData({ abi: ABI, functionName: 'execute', args: [ONE_BATCH, calls] }),
    value: '0x0',
  }
}

/** One transaction of a Safe that sends several. */
export function safeBatch(txs: readonly Tx[]): Tx {
  const packed = txs
    .map(call)
    .map(([to, value, data]) =>
      concatHex(['0x00', to, numberToHex(value, { size: 32 }), numberToHex(size(data), { size: 32 }), data]),
    )
  const all = encodeFunctionData({ abi: ABI, functionName: 'multiSend', args: [concatHex(packed)] })
  const args = [contract('safe-multi-send', '1.4.1'), 0n, all, 1, 0n, 0n, 0n, NOBODY, NOBODY, '0x1234'] as const
  return { to: WALLET, data: encodeFunctionData({ abi: ABI, functionName: 'execTransaction', args }), value: '0x0' }
}

type Payment = Readonly<{ to: Address; amount: bigint }>

/** Payments of native coin through Multicall3. */
export function paidThroughMulticall(payments: readonly Payment[]): Tx {
  const args = [payments.map(({ to, amount }) => [to, false, amount, '0x'] as const)] as const
  const total = payments.reduce((sum, { amount }) => sum + amount, 0n)
  const data = encodeFunctionData({ abi: ABI, functionName: 'aggregate3Value', args })
  return { to: contract('multicall3'), data, value: numberToHex(total) }
}

/** Payments of a token through Permit2. */
export function paidThroughPermit2(token: Address, payments: readonly Payment[]): Tx {
  const transfers = payments.map(({ to, amount }) => ({ from: WALLET, to, amount, token }))
  const { to, data, value } = permit2Transfers({ transfers })
  return { to: to.toLowerCase(), data, value }
}
