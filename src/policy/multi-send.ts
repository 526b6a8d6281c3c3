import { type Address, toAddress } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import type { BatchedCall } from './batch.ts'
import { argumentsOf, bytes } from './calldata.ts'

const MULTI_SEND = '0x8d80ff0a'
const argument = argumentsOf<readonly [Hex]>(bytes)

/** Digits of a packed call before its data: operation, to, value, length of the data. */
const HEAD = 2 + 40 + 64 + 64

/**
 * The calls that `multiSend(bytes)` makes: packed one behind the other, to the last byte. A delegatecall among them runs
 * foreign code with the account's own storage, and is refused. Source: Safe's `MultiSend` and `MultiSendCallOnly`.
 */
export function multiSendCalls(data: Hex): Result<readonly BatchedCall[]> {
  if (!data.startsWith(MULTI_SEND)) return refuse('MultiSend: only multiSend(bytes) is decoded.')
  const read = argument.read(data, MULTI_SEND.length)
  if (!read.ok) return refuse(`MultiSend: ${read.reason}.`)
  if (read.value.trailing > 0) return refuse('MultiSend: bytes follow its argument.')
  const packed = read.value.values[0].slice(2)
  const calls: BatchedCall[] = []
  for (let at = 0; at < packed.length; ) {
    if (at + HEAD > packed.length) return refuse('MultiSend: the packed calls end within one of them.')
    const length = BigInt(`0x${packed.slice(at + 106, at + 170)}`) * 2n
    if (packed.slice(at, at + 2) !== '00') return refuse('MultiSend: a call among the packed ones is no plain call.')
    if (length > BigInt(packed.length - at - HEAD)) return refuse('MultiSend: the packed calls end within one of them.')
    const to: Address = toAddress(`0x${packed.slice(at + 2, at + 42)}`)
    const end = at + HEAD + Number(length)
    calls.push({ to, value: BigInt(`0x${packed.slice(at + 42, at + 106)}`), data: `0x${packed.slice(at + HEAD, end)}` })
    at = end
  }
  return ok(calls)
}
