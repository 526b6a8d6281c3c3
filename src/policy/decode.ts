import { type Address, isAddress, toAddress } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { CHAINS, type Contract, chainOf, contractAt } from '../registry/index.ts'
import { selectorOf } from './calldata.ts'
import type { DecodedAction } from './decoded-action.ts'
import type { Call, Decoder } from './decoder.ts'
import { decoders } from './decoders/index.ts'

/** A proposed EVM transaction, as its caller wrote it. */
export type ProposedCall = Readonly<{ protocol: string; chainId: number; to: string; value: string; data: string }>

/** What a node of the chain takes at most as calldata, in bytes. */
const MAX_CALLDATA_BYTES = 131_072
const MAX_VALUE = (1n << 256n) - 1n

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
  const contract = contractAt(chainId, to)
  const kind = contract?.kind ?? (data === '0x' ? 'native' : 'erc20')
  const decoder = byKind.get(kind)
  if (decoder === undefined) return refuse(`A contract of kind ${kind} is not decoded.`)
  if (to === call.value.wallet && data !== '0x')
    return refuse('A call of the wallet to itself runs whatever code it is delegated to, and is not decoded.')
  const decoded = decoder.decode(call.value, contract)
  if (!decoded.ok) return decoded
  const venue = contract?.venue ?? kind
  if (!names(tx.protocol, venue)) return refuse(contradiction(tx.protocol, venue, to, contract))
  return ok({
    protocol: venue,
    chainId,
    wallet: call.value.wallet,
    target: to,
    selector: selectorOf(data),
    legs: decoded.value.legs,
    touches: decoded.value.touches ?? [],
    trailingBytes: decoded.value.trailingBytes ?? 0,
  })
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

function names(protocol: string, venue: string): boolean {
  const word = protocol.toLowerCase()
  if (TOKEN_VENUES.includes(venue)) return TOKEN_WORDS.includes(word)
  return word === venue || (venue === 'uniswap' && word.startsWith('uniswap'))
}

function contradiction(protocol: string, venue: string, to: Address, contract: Contract | undefined): string {
  const target = contract === undefined ? `the call to ${to} is one of ${venue}` : `${to} is a contract of ${venue}`
  return `"protocol" says "${protocol.slice(0, 64)}", but ${target}: "${venue}" would be right.`
}
