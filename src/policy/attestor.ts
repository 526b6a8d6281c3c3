import { createECDH } from 'node:crypto'
import { type Address, toAddress } from '../lib/address.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { ed25519Signer } from '../lib/ed25519.ts'
import { type Hex, keccak256, sha256 } from '../lib/hash.ts'
import type { Receipt, SignedReceipt, TypedReceipt } from '../schema/receipt.ts'

/** Signs what the service stands for. It holds the attestation key, which controls no wallet. */
export type Attestor = Readonly<{
  /** Ed25519, 32 bytes: what a receipt is checked with. */
  publicKey: Hex
  sign(receipt: Receipt): SignedReceipt
  /** The address that signs typed receipts: the verification service's inbox. */
  address(): Promise<Address>
  /** The EIP-712 form of an approval; undefined for what is none. */
  typed(receipt: Receipt): Promise<TypedReceipt | undefined>
}>

const TYPES = {
  Approval: [
    { name: 'requestHash', type: 'bytes32' },
    { name: 'actionHash', type: 'bytes32' },
    { name: 'wallet', type: 'address' },
    { name: 'chainId', type: 'uint256' },
    { name: 'outcome', type: 'string' },
    { name: 'policyVersion', type: 'uint256' },
    { name: 'issuedAt', type: 'uint256' },
    { name: 'expiresAt', type: 'uint256' },
  ],
} as const

/** The account of a key, without the packages that sign with it: it is told at every start. */
function addressOf(secret: Hex): Address {
  const curve = createECDH('secp256k1')
  curve.setPrivateKey(secret.slice(2), 'hex')
  return toAddress(`0x${keccak256(curve.getPublicKey().subarray(1)).slice(-40)}`)
}

/** The attestor of a secret of 32 bytes. Both of its keys come from it: no second secret is to be kept. */
export function createAttestor(secret: Hex): Attestor {
  const seed = Buffer.from(sha256(`countersign receipts ${secret.toLowerCase()}`).slice(2), 'hex')
  const { publicKey, sign } = ed25519Signer(seed)
  // Loaded when first asked for: most receipts never need it, and it costs the start-up 50 ms.
  const account = async () => (await import('viem/accounts')).privateKeyToAccount(secret)
  return {
    publicKey,
    sign: (receipt) => ({ receipt, publicKey, signature: sign(canonicalJson(receipt)) }),
    address: async () => addressOf(secret),
    async typed(receipt) {
      if (receipt.outcome !== 'approved' || receipt.expiresAt === null || receipt.policyVersion === null)
        return undefined
      const { requestHash, actionHash, wallet, chainId } = receipt
      const domain = { name: 'countersign', version: '1', chainId }
      const values = {
        chainId: BigInt(chainId),
        policyVersion: BigInt(receipt.policyVersion),
        issuedAt: secondsOf(receipt.issuedAt),
        expiresAt: secondsOf(receipt.expiresAt),
      }
      const named = { requestHash, actionHash, wallet, outcome: receipt.outcome } as const
      const signer = await account()
      const signature = await signer.signTypedData({
        domain,
        types: TYPES,
        primaryType: 'Approval',
        message: { ...named, ...values },
      })
      const texts = {
        chainId: String(chainId),
        policyVersion: String(values.policyVersion),
        issuedAt: String(values.issuedAt),
        expiresAt: String(values.expiresAt),
      }
      return {
        domain,
        primaryType: 'Approval',
        types: TYPES,
        message: { ...named, ...texts },
        signer: toAddress(signer.address),
        signature,
      }
    },
  }
}

function secondsOf(timestamp: string): bigint {
  return BigInt(Math.floor(Date.parse(timestamp) / 1000))
}
