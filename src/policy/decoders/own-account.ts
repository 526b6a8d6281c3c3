import { type Address, ZERO_ADDRESS } from '../../lib/address.ts'
import type { Hex } from '../../lib/hash.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { contractAt } from '../../registry/index.ts'
import { type BatchedCall, decodeBatch, unguarded } from '../batch.ts'
import {
  abiFunction,
  address,
  argumentsOf,
  array,
  bytes,
  bytes32,
  callFunction,
  functionTable,
  tuple,
  uint,
} from '../calldata.ts'
import { type Call, type Decoded, type DecodeInner, defineDecoder } from '../decoder.ts'
import { multiSendCalls } from '../multi-send.ts'

type Context = Readonly<{ call: Call; decodeInner: DecodeInner }>

/** ERC-7821: one batch; one batch that may carry data for its own authorisation; a batch of such batches. */
const MODES = new Map<string, 'batch' | 'batch with data' | 'batches'>([
  ['0x01000000000000000000', 'batch'],
  ['0x01000000000078210001', 'batch with data'],
  ['0x01000000000078210002', 'batches'],
])
const MODE_DIGITS = 22

const calls = array(tuple(address, uint(256), bytes))
const batch = argumentsOf<readonly [readonly (readonly [Address, bigint, Hex])[]]>(calls)
const batchWithData = argumentsOf<readonly [readonly (readonly [Address, bigint, Hex])[], Hex]>(calls, bytes)
const batches = argumentsOf<readonly [readonly Hex[]]>(array(bytes))

const functions = functionTable<Context, Decoded>([
  abiFunction('execute', [bytes32, bytes], ([mode, data], { call, decodeInner }) => {
    const unwrapped = batchOf(mode, data)
    if (!unwrapped.ok) return unwrapped
    return decodeBatch(unwrapped.value, call.wallet, decodeInner)
  }),
  // A Safe's own transaction, decided with the Safe as the wallet.
  abiFunction(
    'execTransaction',
    [address, uint(256), bytes, uint(8), uint(256), uint(256), uint(256), address, address, bytes],
    ([to, value, data, operation, safeTxGas, , gasPrice], { call, decodeInner }) => {
      if (gasPrice > 0n) return refuse('it refunds the gas at a price, which pays out an amount that no byte limits')
      const decoded =
        operation === 0n
          ? decodeBatch([{ to, value, data }], call.wallet, decodeInner)
          : delegated(operation, { to, value, data }, call, decodeInner)
      if (!decoded.ok || safeTxGas === 0n) return decoded
      // With a gas limit of its own, the Safe takes a failure of the call for an end like any other.
      const [first, ...rest] = decoded.value.legs
      return ok({ ...decoded.value, legs: [unguarded(first), ...rest.map(unguarded)] })
    },
  ),
])

/**
 * Calls of a wallet to itself, where it is code as well as an account: batches of an account that is delegated by EIP-7702
 * (ERC-7821), and a Safe's `execTransaction`. Unwrapped completely, or refused.
 */
export const ownAccount = defineDecoder({
  kind: 'own-account',
  decode(call, _contract, decodeInner) {
    if (call.value > 0n) return refuse('A call of the wallet to itself moves no native value: "value" must be 0.')
    const result = callFunction(functions, call.data, { call, decodeInner })
    return result.ok ? ok(result.value.value) : refuse(`A call of the wallet to itself: ${result.reason}.`)
  },
})

function batchOf(mode: Hex, data: Hex): Result<readonly BatchedCall[]> {
  const known = MODES.get(mode.slice(0, MODE_DIGITS))
  if (known === undefined || !/^0*$/.test(mode.slice(MODE_DIGITS))) return refuse(`mode ${mode} is none of ERC-7821's`)
  if (known !== 'batches') return oneBatch(data, known)
  const read = batches.read(data)
  if (!read.ok) return read
  if (read.value.trailing > 0) return refuse('bytes follow the batches')
  const all: BatchedCall[] = []
  for (const item of read.value.values[0]) {
    const one = oneBatch(item, 'batch with data')
    if (!one.ok) return one
    all.push(...one.value)
  }
  return ok(all)
}

/** Calls alone, or calls and data of an authorisation, which an account's own call needs none of. */
function oneBatch(data: Hex, mode: 'batch' | 'batch with data'): Result<readonly BatchedCall[]> {
  const alone = batch.read(data)
  if (alone.ok && alone.value.trailing === 0) return toCalls(alone.value.values[0])
  if (mode === 'batch') return alone.ok ? refuse('bytes follow the calls') : alone
  const both = batchWithData.read(data)
  if (!both.ok) return both
  if (both.value.trailing > 0) return refuse('bytes follow the calls')
  if (both.value.values[1] !== '0x') return refuse('it carries data for an authorisation that is not understood')
  return toCalls(both.value.values[0])
}

/** Accounts differ in what address 0 means: nobody, or themselves. */
function toCalls(list: readonly (readonly [Address, bigint, Hex])[]): Result<readonly BatchedCall[]> {
  if (list.some(([to]) => to === ZERO_ADDRESS))
    return refuse('a call goes to address 0, which accounts read differently')
  return ok(list.map(([to, value, data]) => ({ to, value, data })))
}

/** A delegatecall runs its target's code as the Safe itself: only MultiSend's is known, and it makes plain calls. */
function delegated(
  operation: bigint,
  { to, value, data }: BatchedCall,
  { chainId, wallet }: Call,
  decodeInner: DecodeInner,
): Result<Decoded> {
  if (operation !== 1n) return refuse(`operation ${operation} is neither a call nor a delegatecall`)
  if (contractAt(chainId, to)?.kind !== 'safe-multi-send')
    return refuse(
      `it delegates to ${to}, whose code would act as the wallet; only Safe's MultiSend contracts are known`,
    )
  if (value > 0n) return refuse('a delegatecall moves no native value: its value must be 0')
  const inner = multiSendCalls(data)
  return inner.ok ? decodeBatch(inner.value, wallet, decodeInner) : inner
}
