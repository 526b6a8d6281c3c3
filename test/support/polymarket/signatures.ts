// Who signed what, by ethers: nothing here knows how the product hashes or signs.
import { AbiCoder, getBytes, keccak256, recoverAddress, TypedDataEncoder, toUtf8Bytes } from 'ethers'

/** An order as it comes over the wire. */
export type WireOrder = Readonly<{
  salt: number
  maker: string
  signer: string
  tokenId: string
  makerAmount: string
  takerAmount: string
  side: 'BUY' | 'SELL'
  signatureType: number
  timestamp: string
  expiration: string
  metadata: string
  builder: string
  signature: string
}>

const ORDER = [
  { name: 'salt', type: 'uint256' },
  { name: 'maker', type: 'address' },
  { name: 'signer', type: 'address' },
  { name: 'tokenId', type: 'uint256' },
  { name: 'makerAmount', type: 'uint256' },
  { name: 'takerAmount', type: 'uint256' },
  { name: 'side', type: 'uint8' },
  { name: 'signatureType', type: 'uint8' },
  { name: 'timestamp', type: 'uint256' },
  { name: 'metadata', type: 'bytes32' },
  { name: 'builder', type: 'bytes32' },
]
const SIGN = [
  { name: 'contents', type: 'Order' },
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]
const ORDER_TYPE = `Order(${ORDER.map(({ type, name }) => `${type} ${name}`).join(',')})`

/** An exchange's own name in signatures. */
export function domainOf(exchange: string, version: string) {
  return { name: 'Polymarket CTF Exchange', version, chainId: 137, verifyingContract: exchange }
}

/** The hash of an order: its id. */
export function orderHash(order: WireOrder, domain: ReturnType<typeof domainOf>): string {
  return TypedDataEncoder.hash(domain, { Order: ORDER }, structOf(order))
}

/** Whose key signed an order; undefined where the signature is none. */
export function signerOf(order: WireOrder, domain: ReturnType<typeof domainOf>): string | undefined {
  try {
    if (order.signatureType !== 3) return recoverAddress(orderHash(order, domain), order.signature).toLowerCase()
    return wrappedSigner(order, domain)
  } catch {
    return undefined
  }
}

/** A deposit wallet hashes what is appended to its key's signature, and compares. */
function wrappedSigner(order: WireOrder, domain: ReturnType<typeof domainOf>): string | undefined {
  const bytes = getBytes(order.signature)
  if (bytes.length !== 317) return undefined
  const part = (from: number, to: number) => `0x${Buffer.from(bytes.slice(from, to)).toString('hex')}`
  const separator = keccak256(
    AbiCoder.defaultAbiCoder().encode(
      ['bytes32', 'bytes32', 'bytes32', 'uint256', 'address'],
      [
        keccak256(toUtf8Bytes('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)')),
        keccak256(toUtf8Bytes(domain.name)),
        keccak256(toUtf8Bytes(domain.version)),
        domain.chainId,
        domain.verifyingContract,
      ],
    ),
  )
  const contents = TypedDataEncoder.hashStruct('Order', { Order: ORDER }, structOf(order))
  const type = Buffer.from(bytes.slice(129, 315)).toString('utf8')
  if (part(65, 97) !== separator || part(97, 129) !== contents || type !== ORDER_TYPE || part(315, 317) !== '0x00ba')
    return undefined
  const message = {
    contents: structOf(order),
    name: 'DepositWallet',
    version: '1',
    chainId: 137,
    verifyingContract: order.signer,
    salt: `0x${'0'.repeat(64)}`,
  }
  const hash = TypedDataEncoder.hash(domain, { TypedDataSign: SIGN, Order: ORDER }, message)
  return recoverAddress(hash, part(0, 65)).toLowerCase()
}

/** Who proves an address to get an API key. */
export function authSigner(address: string, timestamp: string, nonce: string, signature: string): string {
  const types = {
    ClobAuth: [
      { name: 'address', type: 'address' },
      { name: 'timestamp', type: 'string' },
      { name: 'nonce', type: 'uint256' },
      { name: 'message', type: 'string' },
    ],
  }
  const message = 'This message attests that I control the given wallet'
  const domain = { name: 'ClobAuthDomain', version: '1', chainId: 137 }
  return recoverAddress(
    TypedDataEncoder.hash(domain, types, { address, timestamp, nonce, message }),
    signature,
  ).toLowerCase()
}

function structOf(order: WireOrder) {
  return { ...order, side: order.side === 'BUY' ? 0 : 1 }
}
