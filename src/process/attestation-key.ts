import { randomBytes } from 'node:crypto'
import type { Hex } from '../lib/hash.ts'
import type { Storage } from '../storage/index.ts'

/**
 * The secret that receipts are signed with: the one that is configured, else one that was made once and is kept in the
 * database for all replicas (contract section 8).
 */
export async function attestationKey(storage: Storage, configured: Hex | undefined): Promise<Hex> {
  if (configured !== undefined) return configured
  return (await storage.stores.settings.put('attestation-key', `0x${randomBytes(32).toString('hex')}`)) as Hex
}
