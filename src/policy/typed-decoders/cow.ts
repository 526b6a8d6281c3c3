import { z } from 'zod'
import { type Address, ZERO_ADDRESS } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { contractOf } from '../../registry/index.ts'
import type { OrderMessage } from '../../schema/action.ts'
import { Address as AddressSchema } from '../../schema/primitives.ts'
import { readAppData } from '../cow-app-data.ts'
import type { Asset, DecodedAction } from '../decoded-action.ts'
import { domainFault, signedOrder } from '../signed-order.ts'
import { configureLeg } from '../token-authorizations.ts'
import { type Domain, type MessageKind, members, readMessage, uintText } from '../typed-data.ts'
import { defineTypedDecoder } from '../typed-decoder.ts'

const COW = 'cow'
/** Stands for the chain's own coin, as what is bought alone. */
const NATIVE: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const PLAIN_BALANCE = 'expected "erc20": balances within another venue are not decoded'

const Order = z.strictObject({
  sellToken: AddressSchema,
  buyToken: AddressSchema,
  receiver: AddressSchema,
  sellAmount: uintText(256),
  buyAmount: uintText(256),
  validTo: uintText(32),
  appData: z.string().regex(/^0x[0-9a-f]{64}$/, 'expected 32 bytes in lower case'),
  feeAmount: uintText(256),
  kind: z.enum(['sell', 'buy']),
  partiallyFillable: z.boolean(),
  sellTokenBalance: z.literal('erc20', PLAIN_BALANCE),
  buyTokenBalance: z.literal('erc20', PLAIN_BALANCE),
})
type Order = z.output<typeof Order>

const order: MessageKind<Order> = {
  primaryType: 'Order',
  types: {
    Order: members(
      'address sellToken,address buyToken,address receiver,uint256 sellAmount,uint256 buyAmount,uint32 validTo,bytes32 appData,uint256 feeAmount,string kind,bool partiallyFillable,string sellTokenBalance,string buyTokenBalance',
    ),
  },
  message: Order,
}

/** An order's digest, its owner, and its end. */
const OrderUid = z.string().regex(/^0x[0-9a-f]{112}$/, 'expected 56 bytes in lower case')
const cancellations: MessageKind<Readonly<{ orderUids: readonly string[] }>> = {
  primaryType: 'OrderCancellations',
  types: { OrderCancellations: members('bytes[] orderUids') },
  message: z.strictObject({ orderUids: z.array(OrderUid).min(1).max(128) }),
}

/**
 * Orders of CoW Protocol, and taking them back. Source: CoW Protocol's contracts, `GPv2Order`; its API's
 * `OrderCancellations`.
 */
export const cow = defineTypedDecoder({
  protocol: COW,
  decode(action, wallet) {
    const decoded = decodeMessage(action as OrderMessage, wallet)
    return decoded.ok ? decoded : refuse(`CoW Protocol: ${decoded.reason}.`)
  },
})

function decodeMessage(action: OrderMessage, wallet: Address): Result<DecodedAction> {
  const { chainId, typedData, appData } = action
  const settlement = contractOf(chainId, 'cow-settlement')
  if (settlement === undefined) return refuse(`it is not known on chain ${chainId}`)
  const domain = { name: 'Gnosis Protocol', version: 'v2', chainId: BigInt(chainId), verifyingContract: settlement }
  if (typedData.primaryType === cancellations.primaryType) return decodeCancellations(action, wallet, domain)
  if (typedData.primaryType !== order.primaryType)
    return refuse(`a message of type ${typedData.primaryType.slice(0, 64)} is not decoded`)
  const read = readMessage(typedData, order)
  if (!read.ok) return read
  const fault = domainFault(read.value.domain, domain)
  if (fault !== undefined) return refuse(fault)
  const document = readAppData(read.value.message.appData, appData)
  if (!document.ok) return document
  const { sellToken, buyToken, receiver, sellAmount, buyAmount, feeAmount, validTo } = read.value.message
  if (sellToken === NATIVE) return refuse('what it sells must be a token: the coin itself has no allowance')
  const party = receiver === ZERO_ADDRESS ? wallet : receiver
  const bought: Asset = buyToken === NATIVE ? 'native' : buyToken
  return signedOrder({
    venue: COW,
    chainId,
    wallet,
    target: settlement,
    digest: read.value.digest,
    spends: { asset: sellToken, amount: sellAmount + feeAmount, bound: 'max', party: wallet },
    receives: [{ asset: bought, amount: buyAmount, bound: 'min', party }],
    validUntil: validTo,
  })
}

function decodeCancellations(
  { chainId, typedData, appData }: OrderMessage,
  wallet: Address,
  domain: Domain,
): Result<DecodedAction> {
  const read = readMessage(typedData, cancellations)
  if (!read.ok) return read
  const fault = domainFault(read.value.domain, domain)
  if (fault !== undefined) return refuse(fault)
  if (appData !== undefined) return refuse('"appData" is of orders alone')
  const foreign = read.value.message.orderUids.find((uid) => `0x${uid.slice(66, 106)}` !== wallet)
  if (foreign !== undefined) return refuse('an order that would be taken back is not the wallet’s')
  const { digest } = read.value
  const leg = { ...configureLeg(COW), kind: 'cancel' } as const
  const { verifyingContract: target } = domain
  const base = { protocol: COW, chainId, wallet, target, selector: null, touches: [], trailingBytes: 0 }
  return ok<DecodedAction>({ ...base, legs: [leg], digest })
}
