import { concatHex, hashStruct, hashTypedData, stringToHex } from 'viem/utils'
import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { POLYMARKET_CHAIN } from '../registry/index.ts'
import type { PolymarketOrder } from './polymarket-action.ts'
import { members } from './typed-data.ts'

const ORDER =
  'uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder'

/** The signed struct's members in their order. Source: Polymarket's ctf-exchange-v2, `Order`. */
export const POLYMARKET_ORDER = members(ORDER)

const ORDER_TYPE = `Order(${ORDER})`
const DOMAIN_TYPES = {
  EIP712Domain: members('string name,string version,uint256 chainId,address verifyingContract'),
}

/** An exchange as a domain of EIP-712. Versions 2 and 3 differ in nothing else. */
export type ExchangeDomain = Readonly<{ exchange: Address; version: 2 | 3 }>

const NO_SALT: Hex = `0x${'0'.repeat(64)}`

/** Orders whose maker is a contract that asks for its own name around what is signed (ERC-7739). */
const DEPOSIT_WALLET = 3

/** The hash of an order: the venue's key of it, and for most makers what is signed. */
export function polymarketOrderHash(domain: ExchangeDomain, order: PolymarketOrder): Hex {
  const types = { Order: POLYMARKET_ORDER }
  return hashTypedData({ domain: domainOf(domain), types, primaryType: 'Order', message: order })
}

/** What the key signs for an order to be valid: its hash, or that within the deposit wallet's own message. */
export function polymarketDigest(domain: ExchangeDomain, order: PolymarketOrder): Hex {
  if (order.signatureType !== DEPOSIT_WALLET) return polymarketOrderHash(domain, order)
  return hashTypedData({
    domain: domainOf(domain),
    types: {
      TypedDataSign: members(
        'Order contents,string name,string version,uint256 chainId,address verifyingContract,bytes32 salt',
      ),
      Order: POLYMARKET_ORDER,
    },
    primaryType: 'TypedDataSign',
    message: {
      contents: order,
      name: 'DepositWallet',
      version: '1',
      chainId: BigInt(POLYMARKET_CHAIN),
      verifyingContract: order.signer,
      salt: NO_SALT,
    },
  })
}

/** The signature as the exchange takes it: of a deposit wallet with all that its contract needs to hash it again. */
export function polymarketSignature(domain: ExchangeDomain, order: PolymarketOrder, signature: Hex): Hex {
  if (order.signatureType !== DEPOSIT_WALLET) return signature
  const separator = hashStruct({ types: DOMAIN_TYPES, primaryType: 'EIP712Domain', data: domainOf(domain) })
  const contents = hashStruct({ types: { Order: POLYMARKET_ORDER }, primaryType: 'Order', data: order })
  const length = ORDER_TYPE.length.toString(16).padStart(4, '0')
  return concatHex([signature, separator, contents, stringToHex(ORDER_TYPE), `0x${length}`])
}

function domainOf({ exchange, version }: ExchangeDomain) {
  return {
    name: 'Polymarket CTF Exchange',
    version: String(version),
    chainId: POLYMARKET_CHAIN,
    verifyingContract: exchange,
  }
}
