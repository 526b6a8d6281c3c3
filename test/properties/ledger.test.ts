import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Address } from '../../src/lib/address.ts'
import type { Hex } from '../../src/lib/hash.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { newAgent, transactionOf } from '../storage/fixtures.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

const SUBMISSIONS = 20
const DAY_MS = 86_400_000
const amounts = fc.array(fc.bigInt(1n, 900_000_000n), { minLength: SUBMISSIONS, maxLength: SUBMISSIONS })
const cap = fc.bigInt(1n, 5_000_000_000n)
const endings = fc.array(fc.constantFrom('posted', 'voided', 'expired'), { minLength: 6, maxLength: 6 })

type Submission = Readonly<{ requestHash: Hex; wallet: Address; microUsd: bigint }>

let server: TestPostgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

/** What the policy service does with an approval: true when the hold fits under the cap and was taken. */
async function submit(
  storage: Storage,
  { requestHash, wallet, microUsd }: Submission,
  limit: bigint,
): Promise<boolean> {
  return storage.transaction(async (stores) => {
    await stores.wallets.lock(wallet)
    const now = await storage.now()
    const outflow = await stores.holds.outflowSince(wallet, now - DAY_MS)
    if (outflow + microUsd > limit) return false
    await stores.holds.take({ requestHash, wallet, microUsd, expiresAt: now + 60_000 })
    return true
  })
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}

const DATABASES = {
  'SQLite in memory': { url: async () => undefined, replicas: 1, runs: 15 },
  'PostgreSQL through three pools': { url: () => server.createDatabase(), replicas: 3, runs: 8 },
} as const

for (const [name, { url, replicas, runs }] of Object.entries(DATABASES)) {
  describe(`the ledger on ${name}`, () => {
    let storages: readonly Storage[] = []
    before(async () => {
      const address = await url()
      storages = await Promise.all(Array.from({ length: replicas }, () => openStorage({ url: address, poolSize: 8 })))
    })
    after(() => Promise.all(storages.map((storage) => storage.close())))

    const replica = (i: number): Storage => {
      const storage = storages[i % replicas]
      assert.ok(storage)
      return storage
    }
    const prepare = async (wanted: readonly bigint[]): Promise<readonly Submission[]> => {
      const { agentId, wallet } = await newAgent(replica(0))
      const { insert } = replica(0).stores.transactions
      const stored = await Promise.all(wanted.map(() => insert(transactionOf(agentId, wallet))))
      return wanted.map((microUsd, i) => ({ requestHash: stored[i]?.requestHash ?? '0x', wallet, microUsd }))
    }

    it('never holds more than the cap, and refuses nothing that fits', async () => {
      const property = fc.asyncProperty(amounts, cap, async (wanted, limit) => {
        const submissions = await prepare(wanted)
        const taken = await Promise.all(submissions.map((one, i) => submit(replica(i), one, limit)))
        const held = sum(wanted.filter((_, i) => taken[i]))
        const [{ wallet } = { wallet: undefined }] = submissions
        assert.ok(wallet)
        assert.equal(await replica(1).stores.holds.outflowSince(wallet, 0), held)
        assert.ok(held <= limit, `${held} held under a cap of ${limit}`)
        for (const [i, amount] of wanted.entries())
          assert.ok(taken[i] || held + amount > limit, `${amount} was refused`)
      })
      await fc.assert(property, { seed: 24, numRuns: runs, endOnFailure: true })
    })

    it('ends each hold once, whoever races for it', async () => {
      const property = fc.asyncProperty(endings, fc.bigInt(1n, 1_000n), async (racing, microUsd) => {
        const submissions = await prepare([microUsd, microUsd * 2n, microUsd * 4n])
        for (const one of submissions) assert.ok(await submit(replica(0), one, 10_000n))
        const posted = await Promise.all(
          submissions.map(async ({ requestHash, microUsd: own }) => {
            const races = racing.map((to, i) => replica(i).stores.holds.settle(requestHash, to))
            const won = (await Promise.all(races)).flatMap((first, i) => (first ? [racing[i]] : []))
            assert.equal(won.length, 1)
            return won[0] === 'posted' ? own : 0n
          }),
        )
        const [{ wallet } = { wallet: undefined }] = submissions
        assert.ok(wallet)
        assert.equal(await replica(0).stores.holds.outflowSince(wallet, 0), sum(posted))
      })
      await fc.assert(property, { seed: 24, numRuns: runs, endOnFailure: true })
    })

    it('either keeps a hold or expires it', async () => {
      const submissions = await prepare([1n, 2n, 4n, 8n])
      const late = (await replica(0).now()) + 120_000
      for (const one of submissions) assert.ok(await submit(replica(0), one, 10_000n))
      const [expired, ...kept] = await Promise.all([
        replica(1).stores.holds.expireDue(late),
        ...submissions.map(({ requestHash }, i) => replica(i).stores.holds.keep(requestHash)),
      ])
      for (const [i, one] of submissions.entries()) assert.equal(kept[i], !expired.includes(one.requestHash))
    })
  })
}
