import type { Address } from '../../lib/address.ts'
import type { Hex } from '../../lib/hash.ts'
import { ceilDiv } from '../../lib/integers.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { formatDecimal } from '../../lib/usd.ts'
import { POLYMARKET_CHAIN, polymarketVersionAt, polymarketVersionOf } from '../../registry/index.ts'
import type { VenueAction } from '../../schema/action.ts'
import type { DecodedAction, VenueOrder } from '../decoded-action.ts'
import { POLYMARKET, type PolymarketOrder, type PolymarketRequest, readPolymarket } from '../polymarket-action.ts'
import { polymarketDigest, polymarketOrderHash } from '../polymarket-signing.ts'
import { configureLeg } from '../token-authorizations.ts'
import { defineTypedDecoder } from '../typed-decoder.ts'

/** Shares and dollars have six decimals both, and prices as many here. */
const DECIMALS = 6
const ONE = 10n ** BigInt(DECIMALS)

/** Orders of Polymarket's exchanges, versions 2 and 3, and taking them back. */
export const polymarket = defineTypedDecoder({
  protocol: POLYMARKET,
  decode(action, wallet) {
    const request = readPolymarket(action as VenueAction)
    if (!request.ok) return refuse(`Polymarket: ${request.reason}.`)
    const decoded = request.value.kind === 'cancel' ? ok(cancelled(wallet)) : ordered(request.value, wallet)
    return decoded.ok ? decoded : refuse(`Polymarket: ${decoded.reason}.`)
  },
})

const ABOUT = { protocol: POLYMARKET, chainId: POLYMARKET_CHAIN, selector: null, trailingBytes: 0 } as const

function cancelled(wallet: Address): DecodedAction {
  const leg = { ...configureLeg(POLYMARKET), kind: 'cancel' } as const
  return { ...ABOUT, wallet, target: null, legs: [leg], touches: [] }
}

function ordered(request: Extract<PolymarketRequest, { kind: 'order' }>, wallet: Address): Result<DecodedAction> {
  const { exchange, order, orderType, expiration } = request
  const version = polymarketVersionAt(exchange)
  if (version === undefined) return refuse(`${exchange} is none of its exchanges`)
  // Each version trades tokens of its own: at the other one the same signature would be for nothing, or for something else.
  if (polymarketVersionOf(order.tokenId) !== version)
    return refuse(`token ${order.tokenId} is not traded at an exchange of version ${version}`)
  if ((orderType === 'GTD') !== expiration > 0) return refuse('"expiration" is of GTD orders, and 0 of all others')
  const domain = { exchange, version }
  const read = orderOf(order, { wallet, orderType, hash: polymarketOrderHash(domain, order) })
  if (!read.ok) return read
  const leg = {
    ...configureLeg(POLYMARKET, expiration > 0 ? expiration : null),
    kind: 'order',
    order: read.value,
  } as const
  const digest = polymarketDigest(domain, order)
  return ok({ ...ABOUT, wallet, target: exchange, legs: [leg], touches: [order.maker, order.signer], digest })
}

type Read = Readonly<{ wallet: Address; orderType: string; hash: Hex }>

function orderOf(order: PolymarketOrder, { wallet, orderType, hash }: Read): Result<VenueOrder> {
  const { maker, signer, makerAmount, takerAmount, side, signatureType, tokenId, builder } = order
  if ((signatureType === 0 || signatureType === 3) && maker !== signer)
    return refuse('maker and signer differ where the maker signs itself')
  // A deposit wallet is a contract: whose key it obeys no byte says, and only a listed one is traded for.
  if (signatureType !== 3 && signer !== wallet && maker !== wallet)
    return refuse('neither maker nor signer is the wallet')
  if (/[1-9a-f]/.test(builder.slice(2))) return refuse('a builder takes a fee that no byte of the order says')
  const [dollars, shares] = side === 0 ? [makerAmount, takerAmount] : [takerAmount, makerAmount]
  if (dollars === 0n || shares === 0n) return refuse('an amount is 0')
  if (dollars >= shares) return refuse('the price is not below 1')
  // Against the wallet: what it pays at most is rounded up, what it gets at least down.
  const price = side === 0 ? ceilDiv(dollars * ONE, shares) : (dollars * ONE) / shares
  return ok({
    market: tokenId.toString(),
    side: side === 0 ? 'buy' : 'sell',
    size: formatDecimal(shares, DECIMALS),
    price: formatDecimal(price, DECIMALS),
    trigger: null,
    reduceOnly: false,
    timeInForce: orderType,
    cloid: hash,
    account: maker,
    feeTo: null,
  })
}
