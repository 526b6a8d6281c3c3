// The golden verdicts through the door: what the REST interface answers is what the pure function decides.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Hex } from '../../../src/lib/hash.ts'
import { known } from '../../../src/policy/facts.ts'
import { randomHex, transactionOf } from '../../storage/fixtures.ts'
import { startApp } from '../../support/app.ts'
import { fixedSources } from '../../support/fixed-sources.ts'
import { timeless, type VerdictVector, verdictVectors } from '../../support/verdict-vectors.ts'

describe('golden verdicts over REST', () => {
  for (const vector of verdictVectors())
    it(vector.name.replaceAll('-', ' '), async () => {
      const app = await startApp({ sources: fixedSources(vector.facts) })
      try {
        await decideThrough(app, vector)
      } finally {
        await app.close()
      }
    })
})

async function decideThrough(app: Awaited<ReturnType<typeof startApp>>, vector: VerdictVector): Promise<void> {
  const { wallet, proposedTx, policy, facts, expected } = vector
  const key = await app.keyOf(wallet, [proposedTx.chainId])
  if (policy) assert.equal((await app.admin('PUT', `/policies/${wallet}`, policy)).status, 200)
  await holdBefore(app, wallet, BigInt(known(facts.outflow24h)?.microUsd ?? 0))
  const request = { escrowAddress: wallet, prompt: vector.description, proposedTx, metadata: { vector: vector.name } }
  assert.deepEqual(timeless(await app.verdictOn(key, request)), expected)
}

/** What left the wallet before, as an earlier approval holds it. */
async function holdBefore(
  { storage }: Awaited<ReturnType<typeof startApp>>,
  wallet: Hex,
  microUsd: bigint,
): Promise<void> {
  if (microUsd === 0n) return
  const { agents, transactions, holds } = storage.stores
  const [agent] = (await agents.list({ limit: 1 })).items
  const requestHash = randomHex(32)
  const address = wallet as Lowercase<Hex>
  await transactions.insert(transactionOf(agent?.id ?? '', address, { requestHash }))
  await transactions.move(requestHash, ['PENDING'], 'APPROVED')
  await holds.take({ requestHash, wallet: address, microUsd, expiresAt: (await storage.now()) + 60_000 })
}
