import { z } from 'zod'
import { type Address, ZERO_ADDRESS } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { contractOf, wrappedNative } from '../../registry/index.ts'
import type { OrderMessage } from '../../schema/action.ts'
import { Address as AddressSchema } from '../../schema/primitives.ts'
import type { Asset, DecodedAction } from '../decoded-action.ts'
import { domainFault, signedOrder } from '../signed-order.ts'
import { type MessageKind, members, readMessage, uintText } from '../typed-data.ts'
import { defineTypedDecoder } from '../typed-decoder.ts'

const ONE_INCH = '1inch'

const Order = z.strictObject({
  salt: uintText(256),
  maker: AddressSchema,
  receiver: AddressSchema,
  makerAsset: AddressSchema,
  takerAsset: AddressSchema,
  makingAmount: uintText(256),
  takingAmount: uintText(256),
  makerTraits: uintText(256),
})

const order: MessageKind<z.output<typeof Order>> = {
  primaryType: 'Order',
  types: {
    Order: members(
      'uint256 salt,address maker,address receiver,address makerAsset,address takerAsset,uint256 makingAmount,uint256 takingAmount,uint256 makerTraits',
    ),
  },
  message: Order,
}

/** Bits of `makerTraits` that change what an order does. Source: 1inch's limit-order-protocol 4, `MakerTraitsLib`. */
const PRE_INTERACTION = 1n << 252n
const POST_INTERACTION = 1n << 251n
const EXTENSION = 1n << 249n
const UNWRAP_WETH = 1n << 247n
/** Bit 253, and 200 to 246: nothing is known of them. */
const UNUSED = (1n << 253n) | (((1n << 47n) - 1n) << 200n)
const EXPIRATION_SHIFT = 80n
const EXPIRATION_MASK = (1n << 40n) - 1n

/**
 * Limit orders of 1inch, version 4. Without an extension the price of every fill is the order's own, rounded for the maker.
 * An extension (auctions of Fusion, fees, predicates, permits) is code of others, and refused.
 */
export const oneInch = defineTypedDecoder({
  protocol: ONE_INCH,
  decode(action, wallet) {
    const decoded = decodeOrder(action as OrderMessage, wallet)
    return decoded.ok ? decoded : refuse(`1inch: ${decoded.reason}.`)
  },
})

function decodeOrder({ chainId, typedData, appData }: OrderMessage, wallet: Address): Result<DecodedAction> {
  if (appData !== undefined) return refuse('"appData" is of CoW Protocol alone')
  const router = contractOf(chainId, '1inch-router')
  if (router === undefined) return refuse(`its limit orders are not known on chain ${chainId}`)
  if (typedData.primaryType !== order.primaryType)
    return refuse(`a message of type ${typedData.primaryType.slice(0, 64)} is not decoded`)
  const read = readMessage(typedData, order)
  if (!read.ok) return read
  const domain = { name: '1inch Aggregation Router', version: '6', chainId: BigInt(chainId), verifyingContract: router }
  const fault = domainFault(read.value.domain, domain)
  if (fault !== undefined) return refuse(fault)
  const { maker, receiver, makerAsset, takerAsset, makingAmount, takingAmount, makerTraits } = read.value.message
  if (maker !== wallet) return refuse(`the maker is ${maker}, not the wallet`)
  const bought = boughtAsset(makerTraits, takerAsset, chainId)
  if (!bought.ok) return bought
  const party = receiver === ZERO_ADDRESS ? wallet : receiver
  return signedOrder({
    venue: ONE_INCH,
    chainId,
    wallet,
    target: router,
    digest: read.value.digest,
    spends: { asset: makerAsset, amount: makingAmount, bound: 'max', party: wallet },
    receives: [{ asset: bought.value, amount: takingAmount, bound: 'min', party }],
    validUntil: (makerTraits >> EXPIRATION_SHIFT) & EXPIRATION_MASK,
  })
}

/** What arrives by the order's flags; the others decide who may fill it, how often and in which parts. */
function boughtAsset(traits: bigint, takerAsset: Address, chainId: number): Result<Asset> {
  if ((traits & EXTENSION) !== 0n) return refuse('an extension runs code of others, and is not decoded')
  if ((traits & (PRE_INTERACTION | POST_INTERACTION)) !== 0n)
    return refuse('an interaction before or after the trade runs code of others, and is not decoded')
  if ((traits & UNUSED) !== 0n) return refuse('makerTraits has bits that mean nothing')
  if ((traits & UNWRAP_WETH) === 0n) return ok(takerAsset)
  if (takerAsset === wrappedNative(chainId)) return ok('native')
  return refuse('only the wrapped coin can be unwrapped')
}
