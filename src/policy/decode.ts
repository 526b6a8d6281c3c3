import { type Address, isAddress, toAddress } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { CHAINS, type Contract, chainOf, contractAt } from '../registry/index.ts'
import { selectorOf } from './calldata.ts'
import type { DecodedAction, Leg } from './decoded-action.ts'
import type { Call, Decoded, Decoder } from './decoder.ts'
import { decoders } from './decoders/index.ts'

/** A proposed EVM transaction, as its caller wrote it. */
export type ProposedCall = Readonly<{ protocol: string; chainId: number; to: string; value: string; data: string }>

/** What a node of the chain takes at most as calldata, in bytes. */
const MAX_CALLDATA_BYTES = 131_072
const MAX_VALUE = (1n << 256n) - 1n

/** How deep calls may lie within calls. */
const MAX_DEPTH = 4
/** How many calls one transaction may make. */
const MAX_CALLS = 64

const byKind: ReadonlyMap<string, Decoder> = new Map(decoders.map((decoder) => [decoder.kind, decoder]))

/**
 * What a transaction of a wallet would do, read from its bytes alone. Pure and total: what is not understood to the last
 * byte is refused with a sentence (specification 2.1, `decode_failure`).
 * The contract at the target decides how it is read, never a selector alone: routers of several versions share selectors.
 */
export function decode(tx: ProposedCall, wallet: Address): Result<DecodedAction> {
  const call = callOf(tx, toAddress(wallet))
  if (!call.ok) return call
  const { chainId, to, data } = call.value
  const decoded = decodeCall(call.value, 0)
  if (!decoded.ok) return decoded
  const { legs, touches = [], trailingBytes = 0, calls } = decoded.value
  if (calls && calls.length > MAX_CALLS) return refuse(`It makes more than ${MAX_CALLS} calls.`)
  const contract = contractAt(chainId, to)
  const venue = contract?.venue ?? kindOf(call.value, contract)
  if (!names(tx.protocol, venue, legs) && tx.protocol.toLowerCase() !== contract?.kind)
    return refuse(contradiction(tx.protocol, venue, to, contract))
  return ok({
    protocol: venue,
    chainId,
    wallet: call.value.wallet,
    target: to,
    selector: selectorOf(data),
    legs,
    ...(calls && { calls }),
    touches,
    trailingBytes,
  })
}

/** A call, or one within it: each is read by the decoder of its own target. */
function decodeCall(call: Call, depth: number): Result<Decoded> {
  const { chainId, to } = call
  const contract = contractAt(chainId, to)
  const kind = kindOf(call, contract)
  const decoder = byKind.get(kind)
  if (decoder === undefined) return refuse(`A contract of kind ${kind} is not decoded.`)
  return decoder.decode(call, contract, (inner) => {
    if (depth >= MAX_DEPTH) return refuse(`calls lie more than ${MAX_DEPTH} deep within each other`)
    const decoded = decodeCall({ ...inner, chainId }, depth + 1)
    if (!decoded.ok) return decoded
    const { calls = [] } = decoded.value
    return ok({ ...decoded.value, calls: [{ target: inner.to, selector: selectorOf(inner.data) }, ...calls] })
  })
}

function kindOf({ wallet, to, data }: Call, contract: Contract | undefined): string {
  if (to === wallet && data !== '0x') return 'own-account'
  return contract?.kind ?? (data === '0x' ? 'native' : 'erc20')
}

function callOf({ chainId, to, value, data }: ProposedCall, wallet: Address): Result<Call> {
  if (chainOf(chainId) === undefined)
    return refuse(`Chain ${chainId} is not supported; supported are ${CHAINS.map(({ id }) => id).join(', ')}.`)
  if (!isAddress(to)) return refuse('"to" is not an address.')
  const amount = weiOf(value)
  if (amount === null) return refuse('"value" is not an amount of wei: 0x… or decimal digits, at most 2^256 - 1.')
  if (data.length > 2 + 2 * MAX_CALLDATA_BYTES) return refuse(`"data" has more than ${MAX_CALLDATA_BYTES} bytes.`)
  if (data.length % 2 !== 0 || !/^0x[0-9a-fA-F]*$/.test(data)) return refuse('"data" is not hex of whole bytes.')
  return ok({ chainId, wallet, to: toAddress(to), value: amount, data: data.toLowerCase() as Hex })
}

/** A hex quantity, leading zeros allowed, or decimal digits. */
function weiOf(text: string): bigint | null {
  if (!/^(0x[0-9a-fA-F]{1,128}|[0-9]{1,78})$/.test(text)) return null
  const amount = BigInt(text)
  return amount > MAX_VALUE ? null : amount
}

/** Venues of transfers and approvals, and the words that callers have for them. */
const TOKEN_VENUES = ['native', 'erc20', 'weth', 'permit2']
const TOKEN_WORDS = [...TOKEN_VENUES, 'token', 'transfer', 'evm']

/** Venues of calls that only carry others, which may be named by what they carry. */
const BATCH_VENUES = ['own-account', 'multicall3', 'safe']
const BATCH_WORDS = [...BATCH_VENUES, 'batch', 'multicall', 'erc7821', 'eip7702', 'evm']

/** Venues that callers may name with a version: `uniswap_v3`, `aave-v3`, `morpho-blue`. */
const VERSIONED_VENUES = ['uniswap', 'aave', 'morpho']

function names(protocol: string, venue: string, legs: readonly Leg[]): boolean {
  const word = protocol.toLowerCase()
  if (BATCH_VENUES.includes(venue))
    return BATCH_WORDS.includes(word) || legs.some((leg) => names(protocol, leg.venue, []))
  if (TOKEN_VENUES.includes(venue)) return TOKEN_WORDS.includes(word)
  return word === venue || (VERSIONED_VENUES.includes(venue) && word.startsWith(venue))
}

function contradiction(protocol: string, venue: string, to: Address, contract: Contract | undefined): string {
  const target = contract === undefined ? `the call to ${to} is one of ${venue}` : `${to} is a contract of ${venue}`
  return `"protocol" says "${protocol.slice(0, 64)}", but ${target}: "${venue}" would be right.`
}
