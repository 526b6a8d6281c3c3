import { createHash } from 'node:crypto'
import type { Attestor } from '../policy/index.ts'
import { CHAINS, VENUES } from '../registry/index.ts'
import { CHECK_IDS } from '../schema/check.ts'
import type { VerificationService } from '../schema/verification-service.ts'
import type { Storage } from '../storage/index.ts'

/** The one verification service of this deployment: known by its keys, which all replicas share (contract section 8). */
export async function verificationService(storage: Storage, attestor: Attestor): Promise<VerificationService> {
  const { publicKey } = attestor
  const createdAt = new Date(await storage.now()).toISOString()
  const digits = createHash('sha256').update(publicKey).digest('hex')
  const inbox = await attestor.address()
  return {
    id: [
      digits.slice(0, 8),
      digits.slice(8, 12),
      digits.slice(12, 16),
      digits.slice(16, 20),
      digits.slice(20, 32),
    ].join('-'),
    name: 'countersign',
    description: 'Decides proposed transactions and orders by the policy of their wallet, and signs what it decided.',
    address: inbox,
    inbox,
    publicKey,
    active: true,
    checks: CHECK_IDS,
    venues: VENUES,
    chains: CHAINS.map(({ id }) => id),
    schemaVersion: 1,
    createdAt: await storage.stores.settings.put('service-created-at', createdAt),
  }
}
