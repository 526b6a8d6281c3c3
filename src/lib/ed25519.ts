import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { Hex } from './hash.ts'

// An Ed25519 key as DER is its 32 bytes behind a fixed head. Source: RFC 8410.
const PRIVATE_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex')

/** A key that signs. `publicKey` has 32 bytes, a signature 64. */
export type Ed25519Signer = Readonly<{ publicKey: Hex; sign(text: string): Hex }>

/** The key pair of a seed of 32 bytes. */
export function ed25519Signer(seed: Uint8Array): Ed25519Signer {
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_HEAD, seed]), format: 'der', type: 'pkcs8' })
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return {
    publicKey: hexOf(spki.subarray(PUBLIC_HEAD.length)),
    sign: (text) => hexOf(sign(null, Buffer.from(text), key)),
  }
}

/** Whether a signature over a text is of this key. Whatever is malformed is not. */
export function isSignedBy(publicKey: Hex, text: string, signature: string): boolean {
  const key = publicKeyOf(publicKey)
  if (key === undefined || !/^0x[0-9a-f]{128}$/.test(signature)) return false
  return verify(null, Buffer.from(text), key, Buffer.from(signature.slice(2), 'hex'))
}

function publicKeyOf(hex: Hex): KeyObject | undefined {
  if (!/^0x[0-9a-f]{64}$/.test(hex)) return undefined
  const der = Buffer.concat([PUBLIC_HEAD, Buffer.from(hex.slice(2), 'hex')])
  return createPublicKey({ key: der, format: 'der', type: 'spki' })
}

function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
