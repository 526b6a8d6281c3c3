import { hashTypedData } from 'viem/utils'
import { z } from 'zod'
import type { Address } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { formatDecimal } from '../../lib/usd.ts'
import { contractAt } from '../../registry/index.ts'
import type { VenueAction } from '../../schema/action.ts'
import { Address as AddressSchema } from '../../schema/primitives.ts'
import type { DecodedAction, VenueOrder } from '../decoded-action.ts'
import { configureLeg } from '../token-authorizations.ts'
import { members, uintText } from '../typed-data.ts'
import { defineTypedDecoder } from '../typed-decoder.ts'

const POLYGON = 137
const POLYMARKET = 'polymarket'
/** Shares and dollars have six decimals both, and prices as many here. */
const DECIMALS = 6
const ONE = 10n ** BigInt(DECIMALS)

const Bytes32 = z.string().regex(/^0x[0-9a-f]{64}$/, 'expected 32 bytes in lower case')

/** The order as it is signed. Source: Polymarket's ctf-exchange-v2, `Order`. */
const Order = z.strictObject({
  salt: uintText(256),
  maker: AddressSchema,
  signer: AddressSchema,
  tokenId: uintText(256),
  makerAmount: uintText(128),
  takerAmount: uintText(128),
  side: z.union([z.literal(0), z.literal(1)]),
  signatureType: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
  timestamp: uintText(64),
  metadata: Bytes32,
  builder: Bytes32,
})

/** The order and what the venue takes beside it, which no signature covers and the verdict does. */
const Envelope = z.strictObject({
  protocol: z.literal(POLYMARKET),
  chainId: z.literal(POLYGON, 'Polymarket is known on chain 137 only'),
  /** The exchange that the signature is for: each has markets of its own. */
  exchange: AddressSchema,
  order: Order,
  orderType: z.enum(['GTC', 'GTD', 'FOK', 'FAK']),
  /** Unix second at which the venue takes a GTD order back; 0 for all others. */
  expiration: z.int().nonnegative(),
})

/** The signed struct's members in their order. */
export const POLYMARKET_ORDER = members(
  'uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder',
)

/** Orders of Polymarket's exchanges, versions 2 and 3. */
export const polymarket = defineTypedDecoder({
  protocol: POLYMARKET,
  decode(action, wallet) {
    const envelope = Envelope.safeParse(action as VenueAction)
    if (!envelope.success) {
      const [issue] = envelope.error.issues
      return refuse(`Polymarket: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it is wrong'}.`)
    }
    const { exchange, order, orderType, expiration } = envelope.data
    const contract = contractAt(POLYGON, exchange)
    if (contract?.kind !== 'polymarket-exchange' || contract.version === undefined)
      return refuse(`Polymarket: ${exchange} is none of its exchanges.`)
    const read = orderOf(order, orderType, wallet)
    if (!read.ok) return refuse(`Polymarket: ${read.reason}.`)
    if ((orderType === 'GTD') !== expiration > 0)
      return refuse('Polymarket: "expiration" is of GTD orders, and 0 of all others.')
    const leg = {
      ...configureLeg(POLYMARKET, expiration > 0 ? expiration : null),
      kind: 'order',
      order: read.value,
    } as const
    const touches: readonly Address[] = [order.maker, order.signer]
    return ok<DecodedAction>({
      protocol: POLYMARKET,
      chainId: POLYGON,
      wallet,
      target: exchange,
      selector: null,
      legs: [leg],
      touches,
      digest: digestOf(exchange, contract.version, order),
      trailingBytes: 0,
    })
  },
})

/** The digest that the exchange checks. Versions differ in their domain alone. */
function digestOf(exchange: Address, version: string, order: z.output<typeof Order>): `0x${string}` {
  return hashTypedData({
    domain: { name: 'Polymarket CTF Exchange', version, chainId: POLYGON, verifyingContract: exchange },
    types: { Order: POLYMARKET_ORDER },
    primaryType: 'Order',
    message: order,
  })
}

function orderOf(order: z.output<typeof Order>, timeInForce: string, wallet: Address): Result<VenueOrder> {
  const { maker, signer, makerAmount, takerAmount, side, signatureType, tokenId, builder } = order
  const ownKey = signatureType === 0 || signatureType === 3
  if (ownKey && maker !== signer) return refuse('maker and signer differ where the maker signs itself')
  if (signer !== wallet && maker !== wallet) return refuse('neither maker nor signer is the wallet')
  if (/[1-9a-f]/.test(builder.slice(2))) return refuse('a builder takes a fee that no byte of the order says')
  const [dollars, shares] = side === 0 ? [makerAmount, takerAmount] : [takerAmount, makerAmount]
  if (dollars === 0n || shares === 0n) return refuse('an amount is 0')
  if (dollars >= shares) return refuse('the price is not below 1')
  // Against the wallet: what it pays at most is rounded up, what it gets at least down.
  const price = side === 0 ? (dollars * ONE + shares - 1n) / shares : (dollars * ONE) / shares
  return ok({
    market: tokenId.toString(),
    side: side === 0 ? 'buy' : 'sell',
    size: formatDecimal(shares, DECIMALS),
    price: formatDecimal(price, DECIMALS),
    trigger: null,
    reduceOnly: false,
    timeInForce,
    cloid: null,
    account: maker,
    feeTo: null,
  })
}
