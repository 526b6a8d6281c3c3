// What metrics are counted of, on both databases.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Hex } from '../../src/lib/hash.ts'
import { decodeProposed } from '../../src/policy/decode-proposed.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { decide, openService, POLICY, requestOf, sourcesFor } from '../policy/operations/service.ts'
import { newTransaction } from '../storage/fixtures.ts'
import { WALLET } from '../support/actions.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

const WETH: Hex = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const MOST = 2n ** 63n - 1n
const HOUR_MS = 3_600_000

let server: TestPostgres
before(async () => {
  server = await startPostgres()
})
after(() => server.stop())

const DATABASES = { 'SQLite in memory': async () => undefined, PostgreSQL: () => server.createDatabase() } as const

for (const [name, urlOf] of Object.entries(DATABASES))
  describe(`activity on ${name}`, () => {
    let storage: Storage
    before(async () => {
      storage = await openStorage({ url: await urlOf() })
    })
    after(() => storage.close())

    /** Has the store count one more row of the audit log as so much in an hour. */
    async function count(hour: number, microUsd: bigint): Promise<void> {
      const { requestHash } = await newTransaction(storage)
      await storage.stores.audit.append({ kind: 'verdict', subject: requestHash, payload: {} })
      const one = { agentId: 'agent', hour, kind: 'approved', name: '', count: 1, microUsd }
      assert.equal(await storage.stores.activity.countNext(10, () => [one]), 1)
    }
    const sum = async () => (await storage.stores.activity.sums('agent', 0)).map((one) => [one.count, one.microUsd])

    it('adds up exactly, and no hour to more than a database keeps', async () => {
      await count(0, 2n ** 62n + 1n)
      await count(0, 2n ** 61n)
      assert.deepEqual(await sum(), [[2, 2n ** 62n + 2n ** 61n + 1n]])
      await count(0, 2n ** 62n)
      assert.deepEqual(await sum(), [[3, MOST]])
      await count(HOUR_MS, 10n ** 30n)
      await count(2 * HOUR_MS, 1_500_001n)
      assert.deepEqual(await sum(), [[5, 2n * MOST + 1_500_001n]])
    })

    it('counts what a person decided once, however late it is counted', async () => {
      const databaseUrl = await urlOf()
      const policy = { ...POLICY, review: { aboveUsd: 50 } }
      const service = await openService(databaseUrl === undefined ? {} : { databaseUrl }, policy)
      const { requestHash, verdict } = await decide(service.policy, service.principal)
      assert.equal(verdict.outcome, 'pending')
      const reviewer = { id: 'a reviewer', agentId: null, scopes: ['transactions:approve:own'] }
      await service.policy.review(reviewer, requestHash, { decision: 'APPROVED', analysis: 'Agreed.' })
      const agent = await service.storage.stores.agents.get(service.principal.agentId ?? '')
      assert.ok(agent)
      const { submitted, approved, usdVolume } = await service.policy.agentMetrics(agent.ethereumAddress, 'all')
      assert.deepEqual([submitted, approved, usdVolume], [1, 1, 100])
      await service.close()
    })

    it('goes on after an action that is worth more than a database keeps', async () => {
      const value = `0x${(10n ** 40n).toString(16)}` as const
      const wrap = { protocol: 'wrapped-native', chainId: 1, to: WETH, data: '0xd0e30db0', value } as const
      const action = decodeProposed(wrap, WALLET)
      assert.ok(action.ok)
      const databaseUrl = await urlOf()
      const sources = sourcesFor(action.value)
      const service = await openService({ ...(databaseUrl !== undefined && { databaseUrl }), sources }, {})
      const { verdict } = await decide(service.policy, service.principal, requestOf(wrap))
      assert.equal(verdict.outcome, 'approved', verdict.humanReason)
      const agent = await service.storage.stores.agents.get(service.principal.agentId ?? '')
      assert.ok(agent)
      assert.equal((await service.policy.publicAgent(agent.ethereumAddress)).stats.approved, 1)
      assert.equal((await service.policy.agentMetrics(agent.ethereumAddress, 'all')).usdVolume, 9_223_372_036_854.775)
      await service.close()
    })
  })
