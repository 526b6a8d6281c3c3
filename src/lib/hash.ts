import { createHash } from 'node:crypto'
import { createKeccak } from 'hash-wasm'

/** A hex string of whole bytes. */
export type Hex = `0x${string}`

// The hasher is built once: after that each hash is synchronous and takes about 5 µs for 750 bytes.
const keccak = await createKeccak(256)

/** Keccak-256 of bytes, or of a text's UTF-8 bytes. */
export function keccak256(data: Uint8Array | string): Hex {
  return `0x${keccak.init().update(data).digest('hex')}`
}

/** SHA-256 of bytes, or of a text's UTF-8 bytes. */
export function sha256(data: Uint8Array | string): Hex {
  return `0x${createHash('sha256').update(data).digest('hex')}`
}
