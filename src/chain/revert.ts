import { decodeErrorResult } from 'viem/utils'
import type { Hex } from '../lib/hash.ts'
import type { RpcError } from './transport.ts'

const STANDARD = [
  { type: 'error', name: 'Error', inputs: [{ type: 'string' }] },
  { type: 'error', name: 'Panic', inputs: [{ type: 'uint256' }] },
] as const

const LONGEST = 200
/** No more of a text is looked at: to search one of megabytes takes hours. */
const LONGEST_READ = 2_000

/** One line of text that a contract or a node wrote, safe to show: printable, short. */
export function printable(text: string): string {
  return text
    .slice(0, LONGEST_READ)
    .replace(/\w+:\/\/\S*/g, '(address)')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, LONGEST)
}

/** Why a call reverted, from the data that it returned; the selector of an error that is not a standard one. */
export function revertReason(data: Hex | null): string {
  if (data === null || data.length < 10) return 'The call reverted without a reason.'
  try {
    const { errorName, args } = decodeErrorResult({ abi: STANDARD, data })
    return errorName === 'Error'
      ? `The call reverted: ${printable(args[0])}`
      : `The call reverted with panic code ${args[0]}.`
  } catch {
    return `The call reverted with error ${data.slice(0, 10)}.`
  }
}

// Go and Rust nodes answer a revert with code 3 or -32000; -32003 and -380xx say that the call could never be sent.
const REVERTED = /revert|insufficient (funds|balance)|out of gas|gas too low|invalid opcode|stack|invalid jump/i

/** Whether a node's error says that the call itself fails, rather than that the node could not run it. */
export function isCallFailure({ code, message }: RpcError): boolean {
  return code === 3 || code === -32003 || (code <= -38010 && code >= -38029) || REVERTED.test(message)
}

/** Whether a node's error says that it does not have the method. */
export function isMethodMissing({ code, message }: RpcError): boolean {
  return (
    code === -32601 ||
    code === -32004 ||
    /method.*(not found|not supported|not available|does not exist)/i.test(message)
  )
}

/** Why a call failed by a node's error. */
export function failureReason({ message, data }: RpcError): string {
  if (data !== null && /^0x([0-9a-fA-F]{2}){4,}$/.test(data)) return revertReason(data as Hex)
  return `The call fails: ${printable(message) || 'the node gives no reason'}`
}
