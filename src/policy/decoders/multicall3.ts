import type { Address } from '../../lib/address.ts'
import type { Hex } from '../../lib/hash.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { contractAt } from '../../registry/index.ts'
import { type BatchedCall, decodeBatch } from '../batch.ts'
import {
  abiFunction,
  address,
  array,
  bool,
  bytes,
  callFunction,
  functionTable,
  selectorOf,
  tuple,
  uint,
} from '../calldata.ts'
import { type Call, type Decoded, type DecodeInner, defineDecoder } from '../decoder.ts'

type Context = Readonly<{ call: Call; decodeInner: DecodeInner }>

/**
 * What does the same whoever sends it: a signature speaks for its owner. Anything else would act for Multicall3, whose
 * tokens and rights belong to whoever calls it next.
 */
const SIGNED: ReadonlySet<string> = new Set([
  '0xd505accf', // permit of EIP-2612
  '0x8fcbaf0c', // permit of DAI
  '0xe3ee160e', // transferWithAuthorization of EIP-3009
  '0xcf092995',
  '0x5a049a70', // cancelAuthorization of EIP-3009
  '0xb7b72899',
])
/** Permits of Permit2's AllowanceTransfer: whoever sends them, they are the owner's. */
const SIGNED_FOR_PERMIT2: ReadonlySet<string> = new Set(['0x2b67b570', '0x2a2d80d1'])

const plainCalls = array(tuple(address, bytes))

const functions = functionTable<Context, Decoded>([
  abiFunction('aggregate', [plainCalls], ([calls], context) => unpaid(calls, false, context)),
  abiFunction('tryAggregate', [bool, plainCalls], ([all, calls], context) => unpaid(calls, !all, context)),
  abiFunction('blockAndAggregate', [plainCalls], ([calls], context) => unpaid(calls, false, context)),
  abiFunction('tryBlockAndAggregate', [bool, plainCalls], ([all, calls], context) => unpaid(calls, !all, context)),
  abiFunction('aggregate3', [array(tuple(address, bool, bytes))], ([calls], context) =>
    made(
      calls.map(([to, mayFail, data]) => ({ to, value: 0n, data, mayFail })),
      context,
    ),
  ),
  abiFunction('aggregate3Value', [array(tuple(address, bool, uint(256), bytes))], ([calls], context) =>
    made(
      calls.map(([to, mayFail, value, data]) => ({ to, value, data, mayFail })),
      context,
    ),
  ),
])

/** Multicall3: payments of native coin, and what its owner signed. Source: mds1/multicall, `Multicall3.sol`. */
export const multicall3 = defineDecoder({
  kind: 'multicall3',
  decode(call, _contract, decodeInner) {
    const result = callFunction(functions, call.data, { call, decodeInner })
    return result.ok ? ok(result.value.value) : refuse(`Multicall3: ${result.reason}.`)
  },
})

function unpaid(calls: readonly (readonly [Address, Hex])[], mayFail: boolean, context: Context): Result<Decoded> {
  return made(
    calls.map(([to, data]) => ({ to, value: 0n, data, mayFail })),
    context,
  )
}

function made(calls: readonly BatchedCall[], { call, decodeInner }: Context): Result<Decoded> {
  const paid = calls.reduce((sum, { value }) => sum + value, 0n)
  if (paid !== call.value)
    return refuse(`its calls pay ${paid} wei of the ${call.value} sent: the rest would be anybody's`)
  const problem = calls.map((one) => problemOf(one, call.chainId)).find((found) => found !== undefined)
  return problem === undefined ? decodeBatch(calls, call.wallet, decodeInner) : refuse(problem)
}

function problemOf({ to, value, data, mayFail }: BatchedCall, chainId: number): string | undefined {
  const selector = selectorOf(data)
  if (data === '0x') {
    if (mayFail && value > 0n) return `a payment to ${to} may fail, and then its value would be anybody's`
    return contractAt(chainId, to) === undefined
      ? undefined
      : `a payment to ${to} would be made by Multicall3, not the wallet`
  }
  const signed = contractAt(chainId, to)?.kind === 'permit2' ? SIGNED_FOR_PERMIT2 : SIGNED
  if (selector !== null && signed.has(selector)) return undefined
  return `${selector ?? data} of ${to} would be called by Multicall3 itself, not by the wallet`
}
